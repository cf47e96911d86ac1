import { deepStrictEqual, match, notStrictEqual, strictEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { StoredTokenText } from "../../../src/domain/accounts/token-vault.js";
import type { ServerProcess } from "../server-process.js";
import type { Picker } from "./graphql-workloads.js";
import { type HttpRequest, send } from "./http-request.js";
import {
  type Place,
  pickGroups,
  type Stage,
  TENANTS,
  tenantsOf,
  type Workload,
  withTenants,
} from "./workload.js";
import { type Account, ENVIRONMENT, type World } from "./world.js";

const SAMPLES = 20;
const READS = 10_000;
/** Contestants with a constant reply. */
export const CONSTANT = ["constant", "fastify"];
const GET_PEERS = ["prepared-rls", "prepared"];
const TOKEN = /^ugt_[0-9A-Za-z]{55}$/;

export const REST_WORKLOADS: readonly Workload[] = [
  ...withTenants(readingRest, { peers: [...GET_PEERS, ...CONSTANT], half: true }, GET_PEERS),
  ...withTenants(creating, { peers: ["insert"], half: true }),
  ...withTenants(renaming, { peers: ["prepared"], half: true }),
  rotating("rest-rotate", ({ accounts: [first] }) => [first]),
  rotating(`rest-rotate${TENANTS}`, tenantsOf),
];

/** Reads existing groups. */
export function readingRest(pick: Picker, reads = READS): Workload {
  return {
    name: "rest-get",
    async check({ name, url }, stage) {
      for (const place of pick(stage, SAMPLES)) {
        const reply = await call(url, get(place));
        const expected = getReply(place);
        if (!CONSTANT.includes(name)) deepStrictEqual(reply, expected);
        else strictEqual(Math.abs(JSON.stringify(reply).length - JSON.stringify(expected).length) < 20, true);
      }
    },
    requests: async (_, stage) => pick(stage, reads).map(get),
  };
}

/** The GET reply for an unchanged group. */
export function getReply({ group: { id, token, name, providedId, properties } }: Place): object {
  return {
    success: 1,
    new_user_group: false,
    user_group: { team_id: id, token, name, provided_id: providedId, properties },
  };
}

/** A request to `/api/user` with an account's key. */
export function restRequest({ key }: Account, method: HttpRequest["method"], body: object): HttpRequest {
  return { method, path: "/api/user", authorization: `Token ${key.secret}`, body };
}

function get({ account, group }: Place): HttpRequest {
  return restRequest(account, "GET", { user_group_id: group.providedId, name: group.name });
}

/** Creates groups in the accounts of existing ones. */
function creating(pick: Picker): Workload {
  return {
    name: "rest-create",
    writes: true,
    check: checkCreation,
    requests: async (_, stage, maxCount) => newGroups(pick(stage, maxCount)),
  };
}

/** Groups with new IDs. */
function newGroups(places: readonly Place[]): readonly HttpRequest[] {
  const run = randomUUID();
  return places.map(({ account }, index) =>
    restRequest(account, "GET", {
      user_group_id: `${run}-${index}`,
      name: `New ${index} Inc.`,
      properties: { region: "EU", plan: "team", seats: index },
    }),
  );
}

async function checkCreation({ url }: ServerProcess, stage: Stage): Promise<void> {
  const [account] = stage.world.accounts;
  for (const request of newGroups(pickGroups([account], SAMPLES))) {
    const reply = await call(url, request);
    const { user_group_id: providedId, ...rest } = Object(request.body);
    const { team_id: id, token } = reply.user_group;
    match(token, TOKEN);
    const group = { team_id: id, token, ...rest, provided_id: providedId };
    deepStrictEqual(reply, { success: 1, new_user_group: true, user_group: group });
    strictEqual(await storedToken(stage, account, providedId), token);
  }
}

/** Changes names of random groups. */
function renaming(pick: Picker): Workload {
  const renamings = (stage: Stage, count: number) =>
    pick(stage, count).map(({ account, group }) =>
      restRequest(account, "PUT", { user_group_id: group.providedId, name: `Renamed ${randomUUID()}` }),
    );
  return {
    name: "rest-put",
    writes: true,
    async check({ url }, stage) {
      for (const request of renamings(stage, SAMPLES)) {
        const { user_group } = await call(url, request);
        strictEqual(user_group.name, Object(request.body).name);
      }
    },
    requests: async (_, stage, count) => renamings(stage, count),
  };
}

async function checkRotation({ url }: ServerProcess, stage: Stage): Promise<void> {
  // Use a small account: the tokens of the largest one are used by read workloads.
  const account = stage.world.accounts.at(-1) ?? stage.world.accounts[0];
  for (const { group } of pickGroups([account], SAMPLES)) {
    const current = await storedToken(stage, account, group.providedId);
    const reply = await call(url, restRequest(account, "POST", { current_token: current }));
    const { token } = reply.user_group;
    match(token, TOKEN);
    notStrictEqual(token, current);
    const expected = { team_id: group.id, token, name: group.name, provided_id: group.providedId };
    deepStrictEqual(reply, { success: 1, user_group: { ...expected, api_environment_tag: ENVIRONMENT } });
    strictEqual(await storedToken(stage, account, group.providedId), token);
  }
}

/** @throws AssertionError when the status is not 200 */
async function call(url: string, request: HttpRequest): Promise<ReturnType<typeof JSON.parse>> {
  const { status, text } = await send(url, request);
  strictEqual(status, 200, text);
  return JSON.parse(text);
}

/** Rotates groups of some accounts, each at most once, with its current token. */
function rotating(name: string, accountsOf: (world: World) => readonly Account[]): Workload {
  return {
    name,
    peers: ["prepared"],
    writes: true,
    half: true,
    check: checkRotation,
    async requests(_, stage, maxCount) {
      const accounts = new Map(accountsOf(stage.world).map((account) => [account.accountId, account]));
      const order = "ORDER BY md5(id::text || $2) LIMIT $3";
      const tokens = await storedTokens(stage, [...accounts.keys()], order, [randomUUID(), maxCount]);
      return tokens.flatMap(({ accountId, token }) => {
        const account = accounts.get(accountId);
        return account ? [restRequest(account, "POST", { current_token: token })] : [];
      });
    },
  };
}

async function storedToken(stage: Stage, account: Account, id: string): Promise<string | undefined> {
  return (await storedTokens(stage, [account.accountId], "AND provided_id = $2", [id]))[0]?.token;
}

async function storedTokens(
  { database, world }: Stage,
  accountIds: readonly number[],
  more: string,
  values: readonly unknown[],
) {
  const rows = await database.query<StoredTokenText & { readonly accountId: number }>(
    `SELECT account_id AS "accountId", token_key_id AS "keyId", encode(token_ciphertext || token_lookup, 'hex') AS hex
      FROM user_group WHERE account_id = ANY ($1) ${more}`,
    [accountIds, ...values],
  );
  return rows.map(({ accountId, ...stored }) => ({
    accountId,
    token: world.vault.decryptToken(stored, { accountId }),
  }));
}
