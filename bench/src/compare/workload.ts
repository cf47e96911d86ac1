import type { BenchDatabase } from "../postgres.js";
import type { ServerProcess } from "../server-process.js";
import type { HttpRequest } from "./http-request.js";
import type { Account, Group, World } from "./world.js";

/** What is asked of the contestants. */
export interface Workload {
  readonly name: string;
  /** Who takes part besides ours. */
  readonly peers?: readonly string[];
  /** Whether requests change what is stored, so that none is sent twice, and no reading is measured after them. */
  readonly writes?: boolean;
  /** With how many connections it is measured, whatever else is asked for. */
  readonly connections?: readonly number[];
  /** How long a measurement takes at least, in seconds. */
  readonly leastSeconds?: number;
  /** Whether latency at half of the load is of interest. */
  readonly half?: boolean;
  /** Asks for samples and compares the answers with what is known. @throws AssertionError */
  check(contestant: ServerProcess, stage: Stage): Promise<void>;
  /** Requests to measure with. @param most no more than so many are of use */
  requests(contestant: ServerProcess, stage: Stage, most: number): Promise<readonly HttpRequest[]>;
}

/** Where all of it takes place. */
export interface Stage {
  readonly database: BenchDatabase;
  readonly world: World;
}

/** A group and the account that it is one of. */
export interface Place {
  readonly account: Account;
  readonly group: Group;
}

/** So many groups of these accounts, at random; some may come twice. */
export function pickGroups(accounts: readonly Account[], count: number): readonly Place[] {
  return Array.from({ length: count }, () => {
    const account = pick(accounts);
    return { account, group: pick(account.groups) };
  });
}

function pick<Any>(list: readonly Any[]): Any {
  const item = list[Math.floor(Math.random() * list.length)];
  if (item === undefined) throw new Error("There are no items to choose from.");
  return item;
}
