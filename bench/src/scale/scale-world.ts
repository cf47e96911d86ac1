import { type Account, type Group, inventAccounts, type World } from "../compare/world.js";

const ACCOUNTS = 1000;
/** Group `n` belongs to the account of slot `n` modulo this. */
export const SLOTS = 100_000;
/** How many groups are read, at random, and therefore have real tokens. */
const MAX_READ = 50_000;

/** What all sizes have in common: the accounts, whose groups are still to be made. */
export interface Founding extends World {
  /** The account of each slot, as its index. */
  readonly owners: readonly number[];
}

/** Invents a thousand accounts. The largest has a share of 13 %, the second half of that, the third a third (Zipf's law). */
export function inventFounding(): Founding {
  return { ...inventAccounts(Array.from({ length: ACCOUNTS }, () => 0)), owners: shuffle(zipf()) };
}

/** The ids of the groups that are read: any of all, so that accounts come as often as they have groups. */
export function chooseIds(groups: number): readonly number[] {
  if (groups <= MAX_READ) return shuffle(Array.from({ length: groups }, (_, index) => index + 1));
  const chosen = new Set<number>();
  while (chosen.size < MAX_READ) chosen.add(1 + Math.floor(Math.random() * groups));
  return [...chosen];
}

export function ownerOf({ accounts, owners }: Founding, id: number): Account {
  return accounts[owners[id % SLOTS] ?? 0] ?? accounts[0];
}

/** Adds the groups that are read to their accounts: of the others nothing is known here. */
export function populate(founding: Founding, groups: readonly Group[]): World {
  const byAccount = new Map(founding.accounts.map(({ accountId }): [number, Group[]] => [accountId, []]));
  for (const group of groups) byAccount.get(ownerOf(founding, group.id).accountId)?.push(group);
  const people = (account: Account) => ({ ...account, groups: byAccount.get(account.accountId) ?? [] });
  const [largest, ...others] = founding.accounts;
  return { ...founding, accounts: [people(largest), ...others.map(people)] };
}

function zipf(): readonly number[] {
  const weights = Array.from({ length: ACCOUNTS }, (_, index) => 1 / (index + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.flatMap((weight, index) =>
    Array.from({ length: Math.round((weight / total) * SLOTS) }, () => index),
  );
}

/** In an order that has nothing to do with the one before. */
function shuffle<Any>(list: readonly Any[]): readonly Any[] {
  return list
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
