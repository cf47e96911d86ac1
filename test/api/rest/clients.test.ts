import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { useRest, userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = useRest();
const hasJava = spawnSync("javac", ["-version"], { stdio: "ignore" }).status === 0;

test.each([
  ["known length", { "content-length": 38 }],
  ["chunks", { "transfer-encoding": "chunked" }],
])("node:http sends GET with a body of %s", async (_, headers) => {
  const { service, keys } = rest();
  const options = { method: "GET", headers: { authorization: `Token ${keys.admin}`, ...headers } };
  const request = http
    .request(`${service.url}/api/user`, options)
    .end('{"user_group_id":"é","name":"Client"}');
  const [reply] = await once(request, "response");
  let text = "";
  for await (const chunk of reply) text += String(chunk);
  expect(JSON.parse(text)).toMatchObject({ success: 1, user_group: { name: "Client", provided_id: "é" } });
});

test.skipIf(!hasJava)(
  "Java's GET, which it sends as POST, rotates nothing and gets an error that says what to use",
  async () => {
    const { service, keys, call } = rest();
    const body = '{"user_group_id":"java","name":"Client"}';
    const { token } = userGroupOf(await call("GET", body));
    const source = fileURLToPath(
      new URL("../../support/clients/http/HttpUrlConnectionGet.java", import.meta.url),
    );
    const { stdout } = await promisify(execFile)("java", [
      source,
      `${service.url}/api/user`,
      keys.admin,
      body,
    ]);
    expect(stdout).toMatch(/^400 .*"field":"current_token"/);
    expect(stdout).toContain("getOrCreateUserGroup");
    expect(userGroupOf(await call("GET", body)).token).toBe(token);
  },
);
