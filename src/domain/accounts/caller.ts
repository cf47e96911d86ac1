import type { ReadReplica } from "../requests/read-replica.js";
import type { Transaction } from "../requests/transaction.js";
import type { Deadline } from "../shared/deadline.js";
import type { Actor } from "./actor.js";
import type { Environment } from "./environment.js";

export const SCOPES = ["read", "embed", "write", "admin"] as const;

/** What an API key may do: each scope includes the ones before it (decision 13). */
export type Scope = (typeof SCOPES)[number];

/** Returns whether a scope is the required one, or includes it. */
export function hasScope(scope: Scope, required: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(required);
}

/** One environment of one account. */
export interface TenantKey {
  readonly accountId: number;
  readonly environment: Environment;
}

/** The part of the data that a request may touch. */
export interface Tenant extends TenantKey {
  /** What everything that is done for it is a part of; each thing counts by itself where there is none. */
  readonly transaction?: Transaction;
  /** Where what only reads may come from; the database itself where there is none, or a transaction. */
  readonly replica?: ReadReplica;
  /** Of the request that it is done for, where there is one: once it is over, no further statement is sent. */
  readonly deadline?: Deadline | undefined;
}

/** Who is asking: the holder of an API key. */
export interface Caller extends Tenant {
  readonly accountName: string;
  readonly keyId: number;
  /** Whom the audit log names for what is changed. */
  readonly actor: Actor;
  /** The encryption key under which the account's tokens are encrypted. */
  readonly tokenKeyId: string;
  readonly scope: Scope;
}

/** A caller whose scope was checked and allows managing API keys. */
export interface Admin extends Caller {
  readonly scope: "admin";
}

/** A caller whose scope was checked and allows changes. */
export interface Writer extends Caller {
  readonly scope: "write" | "admin";
}
