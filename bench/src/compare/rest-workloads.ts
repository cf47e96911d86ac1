import { deepStrictEqual, match, notStrictEqual, strictEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { StoredTokenText } from "../../../src/domain/accounts/token-vault.js";
import type { Contestant } from "./contestants.js";
import { type HttpRequest, send } from "./http-request.js";
import { type Place, pickGroups, type Stage, type Workload } from "./workload.js";
import { type Account, ENVIRONMENT } from "./world.js";

const SAMPLES = 20;
const READS = 10_000;
const PATH = "/api/user";
/** Who always answers the same. */
export const CONSTANT = ["constant", "constant-services", "fastify"];
const TOKEN = /^ugt_[0-9A-Za-z]{55}$/;

export const REST_WORKLOADS: readonly Workload[] = [
  {
    name: "rest-get",
    title: "REST: get a group that exists",
    peers: [...CONSTANT, "prepared", "pgbench"],
    ...reading(({ accounts: [largest] }) => [largest]),
    half: true,
  },
  {
    name: "rest-get-tenants",
    title: "REST: the same, by the keys of 50 accounts",
    peers: ["prepared"],
    ...reading(({ accounts: [_, ...small] }) => small),
    half: false,
  },
  {
    name: "rest-create",
    title: "REST: get a group that does not exist: it is created",
    peers: ["insert"],
    writes: true,
    connections: undefined,
    leastSeconds: 1,
    half: false,
    check: checkCreation,
    requests: async (_, { world }, most) => newGroups(world.accounts[0], most),
  },
  {
    name: "rest-rotate",
    title: "REST: rotate a token",
    peers: ["prepared"],
    writes: true,
    connections: undefined,
    leastSeconds: 1,
    half: false,
    check: checkRotation,
    requests: async (_, stage, most) => rotations(stage, most),
  },
];

/** The reply to a get of a group that nobody has changed. */
export function getReply({ group }: Place): object {
  return {
    success: 1,
    new_user_group: false,
    user_group: {
      team_id: group.id,
      token: group.token,
      name: group.name,
      provided_id: group.providedId,
      properties: group.properties,
    },
  };
}

function reading(accountsOf: (world: Stage["world"]) => readonly Account[]) {
  return {
    writes: false,
    connections: undefined,
    leastSeconds: 1,
    async check({ url, name }: Contestant, { world }: Stage) {
      for (const place of pickGroups(accountsOf(world), SAMPLES)) {
        const { status, text } = await send(url, get(place));
        strictEqual(status, 200, text);
        if (CONSTANT.includes(name))
          strictEqual(Math.abs(text.length - JSON.stringify(getReply(place)).length) < 20, true);
        else deepStrictEqual(JSON.parse(text), getReply(place));
      }
    },
    requests: async (_: Contestant, { world }: Stage) => pickGroups(accountsOf(world), READS).map(get),
  };
}

function get({ account, group }: Place): HttpRequest {
  return { ...call(account, "GET"), body: { user_group_id: group.providedId, name: group.name } };
}

function call({ key }: Account, method: HttpRequest["method"]) {
  return { method, path: PATH, authorization: `Token ${key.secret}` };
}

/** Ids that were never there. */
function newGroups(account: Account, count: number): readonly HttpRequest[] {
  const run = randomUUID();
  return Array.from({ length: count }, (_, index) => ({
    ...call(account, "GET"),
    body: {
      user_group_id: `${run}-${index}`,
      name: `New ${index} Inc.`,
      properties: { region: "EU", plan: "team", seats: index },
    },
  }));
}

async function checkCreation({ url }: Contestant, { world, database }: Stage): Promise<void> {
  const [account] = world.accounts;
  for (const request of newGroups(account, SAMPLES)) {
    const { status, text } = await send(url, request);
    strictEqual(status, 200, text);
    const reply = JSON.parse(text);
    const { user_group_id: providedId, ...rest } = Object(request.body);
    const { team_id: id, token } = reply.user_group;
    match(token, TOKEN);
    deepStrictEqual(reply, {
      success: 1,
      new_user_group: true,
      user_group: { team_id: id, token, ...rest, provided_id: providedId },
    });
    strictEqual(await storedToken({ world, database }, account, providedId), token);
  }
}

async function checkRotation({ url }: Contestant, { world, database }: Stage): Promise<void> {
  // Of the small accounts: the others' tokens are still to be read with.
  const account = world.accounts.at(-1) ?? world.accounts[0];
  for (const { group } of pickGroups([account], SAMPLES)) {
    const current = await storedToken({ world, database }, account, group.providedId);
    const { status, text } = await send(url, { ...call(account, "POST"), body: { current_token: current } });
    strictEqual(status, 200, text);
    const reply = JSON.parse(text);
    const { token } = reply.user_group;
    match(token, TOKEN);
    notStrictEqual(token, current);
    deepStrictEqual(reply, {
      success: 1,
      user_group: {
        ...{ team_id: group.id, token, name: group.name, provided_id: group.providedId },
        api_environment_tag: ENVIRONMENT,
      },
    });
    strictEqual(await storedToken({ world, database }, account, group.providedId), token);
  }
}

async function storedToken(stage: Stage, account: Account, providedId: string): Promise<string | undefined> {
  const [token] = await storedTokens(stage, account, "AND provided_id = $2", [providedId]);
  return token;
}

/** Each group once, by the token that it has now. */
async function rotations(stage: Stage, most: number): Promise<readonly HttpRequest[]> {
  const [account] = stage.world.accounts;
  const tokens = await storedTokens(stage, account, "ORDER BY md5(id::text || $2) LIMIT $3", [
    randomUUID(),
    most,
  ]);
  return tokens.map((token) => ({ ...call(account, "POST"), body: { current_token: token } }));
}

async function storedTokens(
  { database, world }: Stage,
  { accountId }: Account,
  more: string,
  values: readonly unknown[],
): Promise<readonly string[]> {
  const rows = await database.query<StoredTokenText & { readonly id: number }>(
    `SELECT id, token_key_id AS "keyId", encode(token_ciphertext || token_lookup, 'hex') AS hex
      FROM user_group WHERE account_id = $1 ${more}`,
    [accountId, ...values],
  );
  return rows.map(({ id, ...stored }) => world.vault.decryptToken(stored, { accountId, id }));
}
