import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { customers } from "./customers.js";

/** A stand-in for your sign-in: a signed cookie with the customer's ID. */
const key = randomBytes(32);
const NAME = "customer";

/** Returns the `Set-Cookie` header after a sign-in; over https, add `Secure`. @param {string} customerId */
export function sessionCookie(customerId) {
  return `${NAME}=${customerId}.${sign(customerId)}; Path=/; HttpOnly; SameSite=Lax`;
}

/** The `Set-Cookie` header that signs out. */
export const EXPIRED_COOKIE = `${NAME}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`;

/** Returns the signed-in customer. @param {string | undefined} cookies the header `Cookie` */
export function signedInCustomer(cookies) {
  const value = cookies
    ?.split("; ")
    .find((cookie) => cookie.startsWith(`${NAME}=`))
    ?.slice(NAME.length + 1);
  const [customerId = "", signature = ""] = value?.split(".") ?? [];
  const received = Buffer.from(signature);
  const expected = Buffer.from(sign(customerId));
  const isValid = received.length === expected.length && timingSafeEqual(received, expected);
  return isValid ? customers.get(customerId) : undefined;
}

/** @param {string} text */
function sign(text) {
  return createHmac("sha256", key).update(text).digest("base64url");
}
