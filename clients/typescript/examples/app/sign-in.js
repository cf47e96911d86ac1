// A stand-in for your customers and your sign-in, which is a signed cookie with the customer's ID.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const CUSTOMERS = [
  { id: "acme", name: "Acme Inc.", region: "EU", properties: { currency: "EUR", color: "#2a6f97" } },
  { id: "globex", name: "Globex Corp.", region: "US", properties: { currency: "USD", color: "#b5651d" } },
];
const key = randomBytes(32);

/** @param {string} customerId */
export function signedId(customerId) {
  return `${customerId}.${createHmac("sha256", key).update(customerId).digest("base64url")}`;
}

/** Returns the signed-in customer. @param {string | undefined} cookies the header `Cookie` */
export function signedInCustomer(cookies = "") {
  const received = Buffer.from(/(?:^|; )customer=([^;]*)/.exec(cookies)?.[1] ?? "");
  return CUSTOMERS.find(({ id }) => {
    const expected = Buffer.from(signedId(id));
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
}
