import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ContractChoices, compareContracts } from "../../src/cli/contract/check.js";
import { OperatorError } from "../../src/domain/shared/operator-error.js";
import { callRest } from "../support/rest/rest-client.js";
import {
  type AlterableReply,
  type AlteredService,
  startAlteredService,
} from "../support/service/altered-service.js";
import { createTestProcesses } from "../support/service/running-process.js";
import { startTestService, type TestService } from "../support/service/test-service.js";

const processes = createTestProcesses();
let service: TestService;
let keys: { readonly CONTRACT_KEY: string; readonly CONTRACT_AGAINST_KEY: string };
let altered: AlteredService | undefined;

beforeAll(async () => {
  service = await startTestService();
  const [ours, theirs] = [await service.createAccount(), await service.createAccount()];
  keys = {
    CONTRACT_KEY: (await ours.createKey()).secret,
    CONTRACT_AGAINST_KEY: (await theirs.createKey()).secret,
  };
});
afterEach(async () => {
  await altered?.close();
  altered = undefined;
  // No check leaves anything behind.
  expect(await service.query("SELECT provided_id FROM user_group")).toEqual([]);
});
afterAll(async () => {
  await processes.close();
  await service.close();
});

async function check(
  { json: isJson = false, ...choices }: Partial<ContractChoices> & { readonly json?: boolean } = {},
  environment: Record<string, string> = keys,
) {
  let printed = "";
  const code = await compareContracts(
    environment,
    { url: service.url, against: service.url, ...choices },
    {
      isJson,
      async print(value, text) {
        printed += isJson ? JSON.stringify(value) : text;
      },
    },
  );
  return { code, printed };
}

/** The differences reported for a service with altered replies, by call name. */
async function differencesOf(alter: (reply: AlterableReply) => void) {
  altered = await startAlteredService(service.url, alter);
  const { code, printed } = await check({ against: `${altered.url}/`, json: true });
  const { calls }: { calls: { name: string; differences: object[] }[] } = JSON.parse(printed);
  const differing = calls.filter(({ differences }) => differences.length > 0);
  expect(code).toBe(differing.length > 0 ? 1 : 0);
  return Object.fromEntries(differing.map(({ name, differences }) => [name, differences]));
}

test("finds no difference between the service and itself", async () => {
  const { code, printed } = await check({ dataSource: "sales" });
  expect(printed).toMatch(/^(same {5}.+\n){40,}\d+ calls, 0 with differences\.\n$/);
  expect(code).toBe(0);
  expect(await differencesOf(() => undefined)).toEqual({});
});

describe("reports a difference in", () => {
  test("the status", async () => {
    const found = await differencesOf((reply) => {
      if (reply.status === 404) reply.status = 400;
    });
    expect(Object.keys(found)).toEqual([
      "PUT with an unknown group",
      "POST with an unknown token",
      "POST with the previous token",
      "DELETE with the previous token",
      "DELETE again",
      "PUT with a deleted group",
    ]);
    expect(found["DELETE again"]).toEqual([{ kind: "status", path: "", ours: 404, theirs: 400 }]);
  });

  test("keys, key order, types and values", async () => {
    const found = await differencesOf((reply) => {
      if (reply.method !== "PUT" || reply.status !== 200) return;
      const { success, user_group: group } = JSON.parse(reply.text);
      const { name, token, ...rest } = group;
      const changed = { token, name: `${name}!`, ...rest, team_id: String(group.team_id), extra: 1 };
      reply.text = JSON.stringify({ user_group: changed, success: success === 1 });
    });
    const group = ["team_id", "token", "name", "provided_id", "properties", "api_environment_tag"];
    const theirs = ["token", "name", "team_id", "provided_id", "properties", "api_environment_tag", "extra"];
    expect(found["PUT changes the name only"]).toEqual([
      { kind: "order", path: "", ours: ["success", "user_group"], theirs: ["user_group", "success"] },
      { kind: "type", path: "success", ours: "number 1", theirs: "boolean true" },
      { kind: "keys", path: "user_group", ours: group, theirs },
      { kind: "order", path: "user_group", ours: group, theirs },
      {
        kind: "type",
        path: "user_group.team_id",
        ours: expect.stringMatching(/^number \d+$/),
        theirs: "string",
      },
      { kind: "value", path: "user_group.name", ours: "Renamed", theirs: "Renamed!" },
    ]);
    expect(Object.keys(found).every((name) => name.startsWith("PUT"))).toBe(true);
  });

  test("a token that does not match the previous reply", async () => {
    let count = 0;
    const found = await differencesOf((reply) => {
      if (!reply.sent.includes('"name":"Contract check"') || reply.status !== 200) return;
      count += 1;
      if (count === 2) reply.text = reply.text.replace(/"token":"[^"]+"/, '"token":"something-else"');
    });
    expect(found).toEqual({
      "GET returns an existing group": [
        {
          kind: "value",
          path: "user_group.token",
          ours: "same as before",
          theirs: "different from before",
        },
      ],
    });
  });

  test("a header, and a body that is not JSON", async () => {
    const found = await differencesOf((reply) => {
      if (reply.status !== 405) return;
      reply.headers = { "content-type": "text/html", "cache-control": "no-store" };
      reply.text = "<h1>no</h1>";
    });
    expect(found).toEqual({
      "an unsupported method": [
        { kind: "header", path: "content-type", ours: expect.stringContaining("json"), theirs: "text/html" },
        { kind: "header", path: "allow", ours: expect.any(String), theirs: null },
        { kind: "type", path: "", ours: "object", theirs: "not JSON" },
      ],
    });
  });
});

/** The IDs of the groups that a check against an altered service leaves behind. */
async function groupsLeftBy(alter: (reply: AlterableReply) => void | Promise<void>) {
  altered = await startAlteredService(service.url, alter);
  const { code, printed } = await check({ against: altered.url, json: true });
  const { left }: { left: { url: string; providedId: string }[] } = JSON.parse(printed);
  expect(code).toBe(1);
  for (const { url } of left) expect(url).toBe(altered.url);
  return left.map(({ providedId }) => providedId);
}

test("groups that another service creates in violation of the contract are deleted, too", async () => {
  const found = groupsLeftBy(async (reply) => {
    if (!reply.sent.includes("-none") || reply.status !== 404) return;
    const body = { ...JSON.parse(reply.sent), name: "Made by PUT" };
    const made = await callRest(`${service.url}/api/user`, "GET", keys.CONTRACT_AGAINST_KEY, body);
    reply.status = made.status;
    reply.text = JSON.stringify(made.body);
  });
  expect(await found).toEqual([]);
});

test("an existing group is left unchanged and reported", async () => {
  const tokens = ["token-of-a-real-group", "token-of-another-one"];
  const touched: string[] = [];
  const ids: unknown[] = [];
  const left = await groupsLeftBy((reply) => {
    if (tokens.some((token) => reply.sent.includes(token))) touched.push(reply.sent);
    // Services that know this ID, as a string or as a number.
    const isNumber = reply.sent.includes('"Number"');
    if (!isNumber && !reply.sent.includes('"name":"No ID"')) return;
    const id = isNumber ? JSON.parse(reply.sent).user_group_id : "acme";
    if (!ids.includes(id)) ids.push(id);
    reply.status = 200;
    reply.text = JSON.stringify({
      success: 1,
      user_group: { provided_id: id, token: tokens[isNumber ? 0 : 1] },
    });
  });
  expect(touched).toEqual([]);
  expect(ids).toEqual(["acme", expect.any(Number)]);
  expect(String(ids[1])).toMatch(/^\d{12}$/);
  expect(left).toEqual(["acme", String(ids[1])]);
});

test("reports groups as left behind when the service fails at the end", async () => {
  const failing = (reply: AlterableReply) => reply.method === "DELETE" || !reply.sent.includes('"name"');
  let ending = false;
  const left = await groupsLeftBy((reply) => {
    ending ||= reply.method === "PATCH";
    // It does not confirm its deletions.
    if (ending && reply.method !== "PATCH" && failing(reply)) reply.status = 500;
  });
  expect(left).toEqual([expect.stringMatching(/-main$/), expect.stringMatching(/-other$/)]);
});

test("an interrupted check deletes what it created, also on the command line", async () => {
  let calls = 0;
  let reached: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    reached = resolve;
  });
  altered = await startAlteredService(service.url, async () => {
    calls += 1;
    if (calls === 8) reached();
    if (calls >= 8 && calls < 12) await new Promise((resolve) => setTimeout(resolve, 200));
  });
  const args = ["contract", "check", "--url", service.url, "--against", altered.url];
  const running = await processes.launch(args, { env: keys });
  await started;
  running.kill("SIGINT");
  const end = await running.ended;
  expect(end).toMatchObject({
    code: 130,
    stderr: "",
    stdout: expect.stringContaining("Interrupted."),
  });
});

test.each([
  ["no key", { CONTRACT_KEY: "" }, {}, /^CONTRACT_KEY is not set\. Set CONTRACT_KEY to an API key/],
  ["an unknown key", { CONTRACT_AGAINST_KEY: "x" }, {}, /rejected the API key with status 401/],
  [
    "nobody there",
    {},
    { against: "http://127.0.0.1:1" },
    /127.0.0.1:1 did not reply to "GET creates a group"/,
  ],
] as const)("%s", async (_, environment, choices, message) => {
  const failed = check(choices, { ...keys, ...environment });
  await expect(failed).rejects.toBeInstanceOf(OperatorError);
  await expect(failed).rejects.toThrow(message);
});
