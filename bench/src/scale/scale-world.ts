import { randomBytes } from "node:crypto";
import { issueApiKey } from "../../../src/domain/accounts/api-key.js";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { type Account, ENVIRONMENT, type Group, type World } from "../compare/world.js";

export const ACCOUNTS = 1000;
export const DATA_SOURCES = 20;
/** Group `n` is one of the account that stands at `n` modulo this. */
export const SLOTS = 100_000;
/** How many groups are read, at random, and are therefore sealed properly. */
const MOST_READ = 50_000;

/** What all sizes have in common: the accounts, whose groups are still to be made. */
export interface Founding {
  readonly encryptionKey: string;
  readonly vault: TokenVault;
  readonly accounts: World["accounts"];
  /** The account of each slot, as its index. */
  readonly owners: readonly number[];
}

/** Invents a thousand accounts. The largest has a share of 13 %, the second half of that, the third a third (Zipf's law). */
export function inventFounding(): Founding {
  const key = randomBytes(32);
  const invent = (index: number): Account => ({
    accountId: index + 1,
    name: `Account ${index + 1}`,
    key: issueApiKey(index + 1, ENVIRONMENT),
    dataSources: Array.from({ length: DATA_SOURCES }, (_, source) => ({
      dataSourceId: index * DATA_SOURCES + source + 1,
      providedId: `warehouse-${source}`,
      name: `Warehouse ${source}`,
    })),
    groups: [],
  });
  return {
    encryptionKey: key.toString("base64"),
    vault: new TokenVault([key]),
    accounts: [invent(0), ...Array.from({ length: ACCOUNTS - 1 }, (_, index) => invent(index + 1))],
    owners: shuffle(zipf()),
  };
}

/** The ids of the groups that are read: any of all, so that accounts come as often as they have groups. */
export function chooseIds(groups: number): readonly number[] {
  if (groups <= MOST_READ) return shuffle(Array.from({ length: groups }, (_, index) => index + 1));
  const chosen = new Set<number>();
  while (chosen.size < MOST_READ) chosen.add(1 + Math.floor(Math.random() * groups));
  return [...chosen];
}

export function ownerOf({ accounts, owners }: Founding, id: number): Account {
  return accounts[owners[id % SLOTS] ?? 0] ?? accounts[0];
}

/** Adds the groups that are read to their accounts: of the others nothing is known here. */
export function populate(founding: Founding, groups: readonly Group[]): World {
  const byAccount = new Map<number, Group[]>();
  for (const group of groups) {
    const { accountId } = ownerOf(founding, group.id);
    const own = byAccount.get(accountId) ?? [];
    byAccount.set(accountId, own);
    own.push(group);
  }
  const people = (account: Account) => ({ ...account, groups: byAccount.get(account.accountId) ?? [] });
  const [largest, ...others] = founding.accounts;
  return { ...founding, accounts: [people(largest), ...others.map(people)] };
}

function zipf(): readonly number[] {
  const weights = Array.from({ length: ACCOUNTS }, (_, index) => 1 / (index + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const slots: number[] = [];
  let share = 0;
  for (const [index, weight] of weights.entries()) {
    share += weight / total;
    while (slots.length < Math.round(share * SLOTS)) slots.push(index);
  }
  return slots;
}

/** In an order that has nothing to do with the one before. */
function shuffle<Any>(list: readonly Any[]): readonly Any[] {
  return list
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
