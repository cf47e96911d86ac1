import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { useRest, userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = useRest();
const run = promisify(execFile);
const hasCurl = succeeds("curl", "--version");
const hasRequests = succeeds("python3", "-c", "import requests");
const hasJava = succeeds("javac", "-version");

const created = {
  success: 1,
  new_user_group: true,
  user_group: {
    team_id: expect.any(Number),
    token: expect.stringMatching(/^ugt_/),
    name: "Client",
    provided_id: expect.any(String),
    properties: { é: "ü" },
  },
};

function createBody(id: string): string {
  return JSON.stringify({ user_group_id: id, name: "Client", properties: { é: "ü" } });
}

test.skipIf(!hasCurl)("curl sends GET with a body", async () => {
  const { service, keys } = rest();
  const { stdout } = await run("curl", [
    ...["-sS", "-X", "GET", `${service.url}/api/user`, "-H", `Authorization: Token ${keys.admin}`],
    ...["-H", "Content-Type: application/json", "-d", createBody("curl")],
  ]);
  expect(JSON.parse(stdout)).toEqual(created);
});

test("node:http sends GET with a body, of known length or chunked", async () => {
  for (const known of [true, false]) {
    const body = createBody(`node ${known}`);
    const { service, keys } = rest();
    const request = http.request(`${service.url}/api/user`, {
      method: "GET",
      headers: {
        authorization: `Token ${keys.admin}`,
        "content-type": "application/json",
        ...(known ? { "content-length": Buffer.byteLength(body) } : { "transfer-encoding": "chunked" }),
      },
    });
    request.end(body);
    const reply = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request.once("response", resolve).once("error", reject);
    });
    let text = "";
    reply.on("data", (chunk) => {
      text += String(chunk);
    });
    await once(reply, "end");
    expect(JSON.parse(text)).toEqual(created);
  }
});

test("undici.request sends GET with a body", async () => {
  expect((await rest().call("GET", createBody("undici"))).body).toEqual(created);
});

test.skipIf(!hasRequests)("python3-requests makes all four calls", async () => {
  const { service, keys } = rest();
  const script = fileURLToPath(new URL("../../support/clients/http/requests_calls.py", import.meta.url));
  const { stdout } = await run("python3", [script, `${service.url}/api/user`, keys.admin]);
  const replies: unknown = JSON.parse(stdout);
  const group = {
    ...created.user_group,
    name: "Python 3",
    provided_id: "python",
    api_environment_tag: "Customer",
  };
  const { properties: _, ...withoutProperties } = group;
  expect(replies).toEqual([
    [200, { ...created, user_group: { ...created.user_group, name: "Python" } }],
    [200, { success: 1, user_group: group }],
    [200, { success: 1, user_group: withoutProperties }],
    [200, { success: 1 }],
  ]);
});

test.skipIf(!hasJava)(
  "Java's GET, which it sends as POST, rotates nothing and gets an error that says what to use",
  async () => {
    const { service, keys, call } = rest();
    const { token } = userGroupOf(await call("GET", createBody("java")));
    const source = fileURLToPath(
      new URL("../../support/clients/http/HttpUrlConnectionGet.java", import.meta.url),
    );
    const { stdout } = await run("java", [source, `${service.url}/api/user`, keys.admin, createBody("java")]);
    expect(stdout).toMatch(/^400 .*"field":"current_token"/);
    expect(stdout).toContain("getOrCreateUserGroup");
    expect(userGroupOf(await call("GET", createBody("java"))).token).toBe(token);
  },
);

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}
