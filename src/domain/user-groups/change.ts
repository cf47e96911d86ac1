import type { Tenant, TenantKey } from "../accounts/caller.js";
import { ENVIRONMENTS } from "../accounts/environment.js";

const USER_GROUP_CHANGE_KINDS = ["created", "updated", "tokenRotated", "deleted"] as const;

export type UserGroupChangeKind = (typeof USER_GROUP_CHANGE_KINDS)[number];

/** A change notification: the group and the kind of change, without its data. */
export interface UserGroupChange extends TenantKey {
  /** Null if more groups of the environment may have changed than are worth listing: its subscriptions start again. */
  readonly id: number | null;
  readonly kind: UserGroupChangeKind;
}

/** Publishes changes to subscribers, after the transaction of the tenant commits. */
export interface ChangePublisher {
  publish(tenant: Tenant, id: UserGroupChange["id"], kind: UserGroupChangeKind): void;
}

/** PostgreSQL limits payloads to 8,000 bytes; a change takes up to 60. */
const MAX_CHANGES_PER_PAYLOAD = 100;

/** Serializes changes for other processes, in payloads. They contain only IDs: no names and no tokens. */
export function encodeChanges(changes: readonly UserGroupChange[]): string[] {
  const items = changes.map(({ accountId, environment, id, kind }) => [accountId, environment, id, kind]);
  const payloads: string[] = [];
  while (items.length > 0) payloads.push(JSON.stringify(items.splice(0, MAX_CHANGES_PER_PAYLOAD)));
  return payloads;
}

/** Parses a payload of `encodeChanges`. Unknown items, for example of a newer version, are skipped. */
export function decodeChanges(payload: string): UserGroupChange[] {
  let list: unknown;
  try {
    list = JSON.parse(payload);
  } catch {
    // Any role of the database can send one.
    return [];
  }
  return [list].flat().flatMap((item: unknown) => {
    const [accountId, environmentName, id, kindName]: unknown[] = Array.isArray(item) ? item : [];
    const environment = ENVIRONMENTS.find((name) => name === environmentName);
    const kind = USER_GROUP_CHANGE_KINDS.find((name) => name === kindName);
    const isId = typeof id === "number" || id === null;
    if (typeof accountId !== "number" || !isId || !environment || !kind) return [];
    return [{ accountId, environment, id, kind }];
  });
}
