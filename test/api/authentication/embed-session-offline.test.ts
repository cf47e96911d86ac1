import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createSession, ENCRYPTION_KEY, encodePart, resign } from "../../support/embed/sessions.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql({ encryptionKey: ENCRYPTION_KEY });
const SCRIPT = fileURLToPath(new URL("../../support/embed/verify.py", import.meta.url));
/** Python with PyJWT (Debian's `python3-jwt`), which may belong to the system's Python only. */
const PYTHON = ["python3", "/usr/bin/python3"].find(
  (python) => spawnSync(python, ["-c", "import jwt.algorithms, cryptography"]).status === 0,
);

/** Verifies tokens in another process, without a network. */
function verify(keySet: unknown, audience: string, tokens: readonly string[]): unknown[] {
  const input = [JSON.stringify(keySet), audience, ...tokens].join("\n");
  const { stdout, stderr, status } = spawnSync(PYTHON ?? "", [SCRIPT], { input, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test.skipIf(!PYTHON)(
  "PyJWT verifies sessions with the published keys, and refuses altered ones",
  async () => {
    const { service, keys, account } = graphql();
    const { teamId } = await createUserGroup(graphql(), "acme");
    const variables = { region: "EU", nested: { note: "größer" } };
    const { token } = await createSession(service, keys.admin, { user_group_id: "acme", variables });
    const [header = "", payload = "", signature = ""] = token.split(".");
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString());
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const testing = await service.createAccount();
    const testingKey = (await testing.createKey({ environment: "Testing" })).secret;
    await callRest(`${service.url}/api/user`, "GET", testingKey, { user_group_id: "t", name: "T" });
    const { body } = await callRest(`${service.url}/.well-known/jwks.json`, "GET", undefined);

    const results = verify(body, `${account.name}/Customer`, [
      token,
      await resign(service, token, { exp: Math.floor(Date.now() / 1000) - 1 }),
      [encodePart({ alg: "none", kid, typ: "embed+jwt" }), payload, ""].join("."),
      [encodePart({ alg: "HS256", kid, typ: "embed+jwt" }), payload, signature].join("."),
      [header, encodePart({ ...claims, sub: "2000000000" }), signature].join("."),
      [encodePart({ alg: "ES256", kid: "unknown", typ: "embed+jwt" }), payload, signature].join("."),
      await resign(service, token, { iss: "other" }),
      (await createSession(service, testingKey, { user_group_id: "t" })).token,
    ]);
    expect(results).toEqual([
      { sub: String(teamId), variables },
      { error: "ExpiredSignatureError" },
      { error: "InvalidAlgorithmError" },
      { error: "InvalidAlgorithmError" },
      { error: "InvalidSignatureError" },
      { error: "InvalidTokenError" },
      { error: "InvalidIssuerError" },
      { error: "InvalidAudienceError" },
    ]);
  },
);
