import type { Tenant } from "../accounts/caller.js";
import { ENVIRONMENTS } from "../accounts/environment.js";

export const USER_GROUP_CHANGE_KINDS = ["updated", "tokenRotated", "deleted"] as const;

export type UserGroupChangeKind = (typeof USER_GROUP_CHANGE_KINDS)[number];

/** That a group changed, and how; not what it is like now. */
export interface UserGroupChange extends Tenant {
  readonly id: number;
  readonly kind: UserGroupChangeKind;
}

/** Writes changes as one text, for other processes. It holds ids only: no name and no token. */
export function encodeChanges(changes: readonly UserGroupChange[]): string {
  return JSON.stringify(
    changes.map(({ accountId, environment, id, kind }) => [accountId, environment, id, kind]),
  );
}

/** Reads what `encodeChanges` wrote; what it does not understand, perhaps another version's, is left out. */
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
