import { type Account, type Group, inventAccounts, type World } from "../compare/world.js";

const ACCOUNTS = 1000;
/** Group `n` belongs to the account of slot `n` modulo this. */
export const SLOTS = 100_000;
/** The number of random groups to read, which have real tokens. */
const MAX_READ = 50_000;

/** The accounts of all sizes, without groups. */
export interface WorldPlan extends World {
  /** The account index of each slot. */
  readonly owners: readonly number[];
}

/** Generates a thousand accounts. The largest has 13 % of the groups, the second half as many, the third a third (Zipf's law). */
export function planWorld(): WorldPlan {
  return { ...inventAccounts(Array.from({ length: ACCOUNTS }, () => 0)), owners: shuffle(zipf()) };
}

/** Picks random group IDs, so that accounts occur in proportion to their groups. */
export function chooseIds(groups: number): readonly number[] {
  if (groups <= MAX_READ) return shuffle(Array.from({ length: groups }, (_, index) => index + 1));
  const chosen = new Set<number>();
  while (chosen.size < MAX_READ) chosen.add(1 + Math.floor(Math.random() * groups));
  return [...chosen];
}

export function ownerOf({ accounts, owners }: WorldPlan, id: number): Account {
  return accounts[owners[id % SLOTS] ?? 0] ?? accounts[0];
}

/** Adds the groups to read to their accounts; other groups are not known here. */
export function populate(plan: WorldPlan, groups: readonly Group[]): World {
  const byAccount = new Map(plan.accounts.map(({ accountId }): [number, Group[]] => [accountId, []]));
  for (const group of groups) byAccount.get(ownerOf(plan, group.id).accountId)?.push(group);
  const people = (account: Account) => ({ ...account, groups: byAccount.get(account.accountId) ?? [] });
  const [largest, ...others] = plan.accounts;
  return { ...plan, accounts: [people(largest), ...others.map(people)] };
}

function zipf(): readonly number[] {
  const weights = Array.from({ length: ACCOUNTS }, (_, index) => 1 / (index + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.flatMap((weight, index) =>
    Array.from({ length: Math.round((weight / total) * SLOTS) }, () => index),
  );
}

function shuffle<Any>(list: readonly Any[]): readonly Any[] {
  return list
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
