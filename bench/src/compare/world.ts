import { randomBytes } from "node:crypto";
import { issueApiKey } from "../../../src/domain/accounts/api-key.js";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";

/** All that the tables hold before anything is measured, known here without asking the database. */
export interface World {
  /** 32 bytes in base64. */
  readonly encryptionKey: string;
  readonly vault: TokenVault;
  /** The first one is large, the others are small. */
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
  /** Its token at the beginning. */
  readonly token: string;
  /** In the order of the schema ids. */
  readonly mapping: readonly { readonly schemaId: string; readonly dataSource: DataSource }[];
}

export const ENVIRONMENT = "Customer";
const SMALL_ACCOUNTS = 50;
const DATA_SOURCES = 20;
const SCHEMAS = ["billing", "sales", "support"];
const REGIONS = ["EU", "US", "APAC"];
const PLANS = ["free", "team", "enterprise"];

/** Invents an account with so many groups and, with as many groups together, fifty small ones. */
export function inventWorld(groups: number): World {
  const key = randomBytes(32);
  let lastGroupId = 0;
  const invent = (accountId: number, count: number): Account => {
    const firstId = lastGroupId + 1;
    lastGroupId += count;
    const dataSources = Array.from({ length: DATA_SOURCES }, (_, index) => ({
      dataSourceId: (accountId - 1) * DATA_SOURCES + index + 1,
      providedId: `warehouse-${index}`,
      name: `Warehouse ${index}`,
    }));
    return {
      accountId,
      name: `Account ${accountId}`,
      key: issueApiKey(accountId, ENVIRONMENT),
      dataSources,
      groups: Array.from({ length: count }, (_, index) =>
        inventGroup(accountId, firstId, index, dataSources),
      ),
    };
  };
  return {
    encryptionKey: key.toString("base64"),
    vault: new TokenVault([key]),
    accounts: [
      invent(1, groups),
      ...Array.from({ length: SMALL_ACCOUNTS }, (_, index) =>
        invent(index + 2, Math.ceil(groups / SMALL_ACCOUNTS)),
      ),
    ],
  };
}

/** What callers call a group, by its number in its account. */
export function providedIdOf(index: number): string {
  return `customer-${String(index).padStart(8, "0")}`;
}

function inventGroup(
  accountId: number,
  firstId: number,
  index: number,
  dataSources: readonly DataSource[],
): Group {
  const pick = <Any>(list: readonly Any[], salt: number) => [...list.slice((index * salt) % list.length)];
  return {
    id: firstId + index,
    providedId: providedIdOf(index),
    name: `Customer ${index} Inc.`,
    properties: {
      region: pick(REGIONS, 1)[0],
      plan: pick(PLANS, 7)[0],
      seats: 5 + (index % 300),
      flags: ["beta", "export"],
    },
    token: issueUserGroupToken(accountId),
    mapping: SCHEMAS.flatMap((schemaId, salt) =>
      pick(dataSources, salt * 3 + 1)
        .slice(0, 1)
        .map((dataSource) => ({ schemaId, dataSource })),
    ),
  };
}
