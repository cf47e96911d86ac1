import type { Environment } from "../accounts/environment.js";
import type { StoredTokenText } from "../accounts/token-vault.js";
import type { MappingReference } from "./mapping.js";
import type { Properties } from "./properties.js";

/** One customer of a caller. Its token stays encrypted until a reply shows it. */
export interface UserGroup {
  readonly accountId: number;
  readonly environment: Environment;
  /** `team_id` on the REST face. */
  readonly id: number;
  readonly providedId: string;
  readonly name: string;
  readonly storedToken: StoredTokenText;
  readonly properties: Properties;
  /** Grows by one at each change. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Names one group of the caller's environment. */
export type UserGroupRef =
  | { readonly by: "id"; readonly id: number }
  | { readonly by: "providedId"; readonly providedId: string }
  | { readonly by: "token"; readonly token: string };

/** What a group is created from, beside its provided id. */
export interface NewUserGroup {
  readonly name: string;
  readonly properties: Properties;
  readonly mapping: readonly MappingReference[];
}

/** What an update changes: an absent field stays as it is (decision 7). */
export interface UserGroupChanges {
  readonly name?: string;
  readonly properties?: Properties;
  readonly mapping?: readonly MappingReference[];
  /** The change happens only if the group still has this version. */
  readonly expectedVersion?: number;
}
