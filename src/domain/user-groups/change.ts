import type { Tenant } from "../accounts/caller.js";
import { ENVIRONMENTS } from "../accounts/environment.js";

export const USER_GROUP_CHANGE_KINDS = ["created", "updated", "tokenRotated", "deleted"] as const;

export type UserGroupChangeKind = (typeof USER_GROUP_CHANGE_KINDS)[number];

/** A change notification: the group and the kind of change, without its data. */
export interface UserGroupChange extends Tenant {
  readonly id: number;
  readonly kind: UserGroupChangeKind;
}

/** Serializes changes for other processes. Contains only IDs: no names and no tokens. */
export function encodeChanges(changes: readonly UserGroupChange[]): string {
  return JSON.stringify(
    changes.map(({ accountId, environment, id, kind }) => [accountId, environment, id, kind]),
  );
}

/** Parses the output of `encodeChanges`. Unknown items, for example of a newer version, are skipped. */
export function decodeChanges(text: string): UserGroupChange[] {
  const list = parse(text);
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const [accountId, environmentName, id, kindName]: unknown[] = Array.isArray(item) ? item : [];
    const environment = ENVIRONMENTS.find((name) => name === environmentName);
    const kind = USER_GROUP_CHANGE_KINDS.find((name) => name === kindName);
    if (typeof accountId !== "number" || typeof id !== "number" || !environment || !kind) return [];
    return [{ accountId, environment, id, kind }];
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
