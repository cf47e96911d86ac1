import type { BenchDatabase } from "../postgres.js";
import type { ServerProcess } from "../server-process.js";
import type { HttpRequest } from "./http-request.js";
import type { Account, Group, World } from "./world.js";

/** A kind of request to measure. */
export interface Workload {
  readonly name: string;
  /** The contestants besides ours. */
  readonly peers?: readonly string[];
  /** Whether requests change data: then no request is sent twice, and reads are measured first. */
  readonly writes?: boolean;
  /** Overrides the number of connections. */
  readonly connections?: readonly number[];
  /** The minimum duration of a measurement in seconds. */
  readonly minSeconds?: number;
  /** Whether to measure latency at half load, except of contestants far behind. */
  readonly half?: boolean;
  /** Compares sample replies with the expected ones. @throws AssertionError */
  check(contestant: ServerProcess, stage: Stage): Promise<void>;
  /** Creates the requests to measure. @param maxCount the maximum number of requests needed */
  requests(contestant: ServerProcess, stage: Stage, maxCount: number): Promise<readonly HttpRequest[]>;
}

/** The database and its known contents. */
export interface Stage {
  readonly database: BenchDatabase;
  readonly world: World;
}

/** A group and its account. */
export interface Place {
  readonly account: Account;
  readonly group: Group;
}

/** Ends the name of a workload on a thousand accounts. */
export const TENANTS = "-tenants";

/** Picks random groups, with repetition. */
export function pickGroups(accounts: readonly Account[], count: number): readonly Place[] {
  return Array.from({ length: count }, () => {
    const account = pick(accounts);
    return { account, group: pick(account.groups) };
  });
}

/** The small accounts, without the last one, whose tokens the check of rest-rotate changes. */
export function tenantsOf({ accounts }: World): readonly Account[] {
  return accounts.slice(1, -1);
}

/** Picks groups of the small accounts: the second account is chosen half as often as the first, the third a third (Zipf's law). */
export function pickTenants({ world }: Stage, count: number): readonly Place[] {
  const tenants = tenantsOf(world);
  let sum = 0;
  const sums = tenants.map((_, index) => {
    sum += 1 / (index + 1);
    return sum;
  });
  return Array.from({ length: count }, () => {
    const chosen = Math.random() * sum;
    const account = tenants[sums.findIndex((upTo) => chosen < upTo)] ?? world.accounts[0];
    return { account, group: pick(account.groups) };
  });
}

/** A workload on the largest account, with a version on a thousand accounts. */
export function withTenants(
  create: (pick: (stage: Stage, count: number) => readonly Place[]) => Workload,
  more: Pick<Workload, "peers" | "half">,
  tenantPeers = more.peers,
): readonly Workload[] {
  const one = create(({ world }, count) => pickGroups([world.accounts[0]], count));
  const many = create(pickTenants);
  return [
    { ...one, ...more },
    { ...many, ...more, name: `${many.name}${TENANTS}`, ...(tenantPeers ? { peers: tenantPeers } : {}) },
  ];
}

function pick<Any>(list: readonly Any[]): Any {
  const item = list[Math.floor(Math.random() * list.length)];
  if (item === undefined) throw new Error("There are no items to choose from.");
  return item;
}
