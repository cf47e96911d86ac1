import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { customers } from "./customers.js";

/** Stands for your own sign-in: a cookie that says who is signed in, under a signature. */
const key = randomBytes(32);
const NAME = "customer";

/** The `Set-Cookie` of somebody who has signed in; over https add `Secure`. @param {string} customerId */
export function sessionCookie(customerId) {
  return `${NAME}=${customerId}.${sign(customerId)}; Path=/; HttpOnly; SameSite=Lax`;
}

/** The customer who is signed in. @param {string | undefined} cookies the header `Cookie` */
export function signedInCustomer(cookies) {
  const value = cookies
    ?.split("; ")
    .find((cookie) => cookie.startsWith(`${NAME}=`))
    ?.slice(NAME.length + 1);
  const [customerId = "", signature = ""] = value?.split(".") ?? [];
  const given = Buffer.from(signature);
  const wanted = Buffer.from(sign(customerId));
  const isOurs = given.length === wanted.length && timingSafeEqual(given, wanted);
  return isOurs ? customers.get(customerId) : undefined;
}

/** @param {string} text */
function sign(text) {
  return createHmac("sha256", key).update(text).digest("base64url");
}
