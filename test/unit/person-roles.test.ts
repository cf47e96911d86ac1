import { expect, test } from "vitest";
import { identifyPerson } from "../../src/domain/authentication/role.js";

const EMAIL = "ada@example.com";
const ROLES = [{ claim: "email", value: EMAIL, account: "demo", scope: "admin" }] as const;
/** Values of `email_verified`; undefined: the source does not have it. */
const VALUES = [undefined, true, "true", false, "false", 0, null, "yes"] as const;
const CASES = VALUES.flatMap((idToken) =>
  VALUES.flatMap((userInfo) => [false, true].map((trustsEmail) => ({ idToken, userInfo, trustsEmail }))),
);

const source = (verified: unknown) => ({
  email: EMAIL,
  ...(verified !== undefined && { email_verified: verified }),
});
const identify = (sources: readonly object[], trustsEmail = false) =>
  identifyPerson(
    "ada",
    sources.map((claims) => ({ ...claims })),
    { roles: ROLES, trustsEmail },
  );
const ADMIN = { name: EMAIL, roles: [{ account: "demo", scope: "admin" }] };
const NOBODY = { name: "ada", roles: [] };

test.each(CASES)(
  "an address gives a role only if a source confirms it and none denies it: %j",
  ({ idToken, userInfo, trustsEmail }) => {
    const said = [idToken, userInfo].filter((value) => value !== undefined);
    const isConfirmed = said.length === 0 ? trustsEmail : said.every((value) => String(value) === "true");
    expect(identify([source(idToken), source(userInfo)], trustsEmail)).toEqual(isConfirmed ? ADMIN : NOBODY);
  },
);

test.each([
  ["the address of one source, confirmed by the other", [{ email_verified: true }, { email: EMAIL }]],
  ["an address other than the confirmed one", [{ ...source(true), email: "eve@x.org" }, { email: EMAIL }]],
  ["a denial without an address", [{ email_verified: false }, source(true)]],
  ["a list of addresses", [{ email: [EMAIL], email_verified: true }, {}]],
  ["an object", [{ email: { [EMAIL]: true }, email_verified: true }, {}]],
  ["an address that UserInfo takes back", [source(true), { email: null }]],
])("%s gives no role, whatever the setting", (_case, sources) => {
  for (const trustsEmail of [false, true]) expect(identify(sources, trustsEmail).roles).toEqual([]);
});

test("an address in one source alone counts", () => {
  expect(identify([{}, source(true)])).toEqual(ADMIN);
  expect(identify([source("true"), {}])).toEqual(ADMIN);
  expect(identify([{}, source(undefined)], true)).toEqual(ADMIN);
});
