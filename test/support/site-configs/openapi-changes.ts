import type { OpenApiCaller } from "../rest/openapi-caller.js";
import { goodSite } from "./store.js";

export const VALIDATE = "post /site-config/validate";
export const PUT_SITE = "put /site-config/{site}";
export const DELETE_SITE = "delete /site-config/{site}";

type Reply = ReturnType<OpenApiCaller["call"]>;

/**
 * Validates, changes and deletes a site, with each kind of success and refusal.
 * @param call calls an operation with a new admin key
 * @param newReadKey creates a key that cannot change sites
 */
export async function changeSites(
  call: (operation: string, body?: unknown, options?: object) => Reply,
  newReadKey: () => Promise<string>,
): Promise<void> {
  const at = { path: "/site-config/changed" };
  const invalid = { ...goodSite, name: "" };
  await call(VALIDATE, goodSite);
  await call(VALIDATE, invalid, { path: "/site-config/validate?strict" });
  await call(PUT_SITE, invalid, at);
  const { headers } = await call(PUT_SITE, goodSite, { ...at, headers: { "if-none-match": "*" } });
  const ifMatch = { ...at, headers: { "if-match": String(headers["etag"]) } };
  await call(PUT_SITE, { ...goodSite, name: "New" }, ifMatch);
  const text = { headers: { "content-type": "text/csv" } };
  for (const [operation, path] of [
    [VALIDATE, "/site-config/validate"],
    [PUT_SITE, at.path],
  ] as const) {
    for (const body of [undefined, Buffer.from("ff", "hex"), `"${"x".repeat(2 ** 21)}"`]) {
      await call(operation, body, { path });
    }
    await call(operation, "{}", { path, ...text });
    await call(operation, goodSite, { path: `${path}?strict=maybe` });
  }
  for (const operation of [PUT_SITE, DELETE_SITE]) {
    await call(operation, goodSite, ifMatch);
    await call(operation, goodSite, { path: "/site-config/none", headers: { "if-match": "*" } });
    await call(operation, goodSite, { ...at, key: await newReadKey() });
  }
  for (const body of ["{", `"${"x".repeat(2 ** 20)}"`]) await call(DELETE_SITE, body, at);
  await call(DELETE_SITE, "{}", { ...at, ...text });
  await call(DELETE_SITE, undefined, { ...at, headers: { "if-match": "x" } });
  await call(DELETE_SITE, undefined, { ...at, headers: { "if-match": '"2"' } });
}
