import { randomBytes } from "node:crypto";
import { issueApiKey } from "../../../src/domain/accounts/api-key.js";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";

/** The initial contents of the tables, known without querying the database. */
export interface World {
  /** 32 bytes in base64. */
  readonly encryptionKey: string;
  readonly vault: TokenVault;
  /** The first one is the largest. */
  readonly accounts: readonly [Account, ...Account[]];
}

export interface Account {
  readonly accountId: number;
  readonly name: string;
  readonly key: ReturnType<typeof issueApiKey>;
  readonly dataSources: readonly DataSource[];
  readonly groups: readonly Group[];
}

export interface DataSource {
  readonly dataSourceId: number;
  readonly providedId: string;
  readonly name: string;
}

export interface Group {
  readonly id: number;
  readonly providedId: string;
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Its initial token. */
  readonly token: string;
  /** Sorted by schema ID. */
  readonly mapping: readonly { readonly schemaId: string; readonly dataSource: DataSource }[];
}

export const ENVIRONMENT = "Customer";
export const DATA_SOURCES = 20;
const SMALL_ACCOUNTS = 1000;
const SCHEMAS = ["billing", "sales", "support"];
const REGIONS = ["EU", "US", "APAC"];
const PLANS = ["free", "team", "enterprise"];

/** Generates an account with that many groups, and a thousand small ones with twice as many groups in total. */
export function inventWorld(groups: number): World {
  const small = Math.ceil((2 * groups) / SMALL_ACCOUNTS);
  return inventAccounts([groups, ...Array.from({ length: SMALL_ACCOUNTS }, () => small)]);
}

/** @param sizes the number of groups of each account */
export function inventAccounts(sizes: readonly number[]): World {
  const key = randomBytes(32);
  let firstId = 1;
  const invent = (count: number, index: number): Account => {
    const account = inventAccount(index + 1, firstId, count);
    firstId += count;
    return account;
  };
  const [largest = 0, ...others] = sizes;
  return {
    encryptionKey: key.toString("base64"),
    vault: new TokenVault([key]),
    accounts: [invent(largest, 0), ...others.map((count, index) => invent(count, index + 1))],
  };
}

/** The external ID of a group, by its index in its account. */
export function providedIdOf(index: number): string {
  return `customer-${String(index).padStart(8, "0")}`;
}

function inventAccount(accountId: number, firstId: number, count: number): Account {
  const dataSources = Array.from({ length: DATA_SOURCES }, (_, index) => ({
    dataSourceId: (accountId - 1) * DATA_SOURCES + index + 1,
    providedId: `warehouse-${index}`,
    name: `Warehouse ${index}`,
  }));
  const groups = Array.from({ length: count }, (_, index) => {
    const pick = <Any>(list: readonly Any[], salt: number) => list.at((index * salt) % list.length);
    return {
      id: firstId + index,
      providedId: providedIdOf(index),
      name: `Customer ${index} Inc.`,
      properties: {
        ...{ region: pick(REGIONS, 1), plan: pick(PLANS, 7) },
        ...{ seats: 5 + (index % 300), flags: ["beta", "export"] },
      },
      token: issueUserGroupToken(accountId),
      mapping: SCHEMAS.flatMap((schemaId, salt) => {
        const dataSource = pick(dataSources, salt * 3 + 1);
        return dataSource ? [{ schemaId, dataSource }] : [];
      }),
    };
  });
  const key = issueApiKey(accountId, ENVIRONMENT);
  return { accountId, name: `Account ${accountId}`, key, dataSources, groups };
}
