import type { Deadline } from "../shared/deadline.js";
import type { Environment } from "./environment.js";

/** A database transaction that several calls share. */
export interface Transaction {
  /** Runs a callback after the commit; never after a rollback. */
  afterCommit(work: () => void): void;
}

/** The author of a change: the holder of an API key, or an operator with direct database access (no key). */
export interface Actor {
  readonly keyId: number | null;
  readonly name: string;
  /** The request ID, as in `X-Request-Id` and the log. */
  readonly requestId: string | null;
}

export const SCOPES = ["read", "embed", "write", "admin"] as const;

/** The permissions of an API key: each scope includes the ones before it (decision 13). */
export type Scope = (typeof SCOPES)[number];

/** Returns whether a scope equals or includes the required one. */
export function hasScope(scope: Scope, required: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(required);
}

/** One environment of one account. */
export interface TenantKey {
  readonly accountId: number;
  readonly environment: Environment;
}

/** The tenant that a request is limited to, with the request's execution context. */
export interface Tenant extends TenantKey {
  /** The transaction that all statements join; without it, each statement commits by itself. */
  readonly transaction?: Transaction;
  /** The deadline of the request, if any: once it is over, no further statement is sent. */
  readonly deadline?: Deadline | undefined;
}

/** The sign-in of an API key or a person in the console, for streams that end with it. */
export interface FollowedSession {
  readonly expiresAt: Date;
  /** Calls `onEnd` when the session is signed out. @returns a function that stops following it */
  follow(onEnd: () => void): () => void;
  /** Returns whether it was not signed out. @throws DomainError `unavailable` if that cannot be read */
  isOpen(): Promise<boolean>;
}

/** A person whom the identity provider has signed in to the console (decision 56). */
export interface Person {
  /** The subject (`sub`) at the provider. */
  readonly id: string;
  readonly name: string;
  /** When the roles must be read again. */
  readonly validUntil: Date;
}

/** The authenticated holder of an API key, or a person. */
export interface Caller extends Tenant {
  readonly accountName: string;
  /** 0 without an API key: a person, or an operator with direct database access. */
  readonly keyId: number;
  /** Set if a person is signed in instead of an API key. */
  readonly person?: Person | undefined;
  /** Set in the console. */
  readonly session?: FollowedSession | undefined;
  /** The author that the audit log records for changes. */
  readonly actor: Actor;
  /** The encryption key under which the account's tokens are encrypted. */
  readonly tokenKeyId: string;
  readonly scope: Scope;
}

/** Returns the name by which limits count a caller. */
export function limitedName({ accountId, keyId, person }: Caller): string {
  return person ? `person:${accountId}:${person.id}` : `key:${accountId}:${keyId}`;
}

/** A caller whose scope was checked and allows managing API keys. */
export interface Admin extends Caller {
  readonly scope: "admin";
}

/** A caller whose scope was checked and allows user group tokens and embed sessions. */
export interface Embedder extends Caller {
  readonly scope: "embed" | "write" | "admin";
}

/** A caller whose scope was checked and allows changes. */
export interface Writer extends Caller {
  readonly scope: "write" | "admin";
}

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
}
