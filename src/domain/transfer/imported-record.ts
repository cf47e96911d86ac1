import type { MappingReference } from "../user-groups/mapping.js";
import type { Properties } from "../user-groups/properties.js";

/** A data source of an import. */
export interface ImportedDataSource {
  readonly providedId: string;
  /** Required when it is created. */
  readonly name?: string;
}

/** A group of an import: an absent field stays as it is, null clears (decision 7). */
export interface ImportedGroup {
  readonly providedId: string;
  /** Required when it is created. */
  readonly name?: string;
  /** The token that the group brings along; it gets a new one without. */
  readonly token?: string;
  readonly properties?: Properties;
  readonly mapping?: readonly MappingReference[];
}

/** One entry of a group's mapping. */
export interface ImportedMapping {
  readonly userGroupId: string;
  readonly reference: MappingReference;
}

/** How an import goes about. */
export interface ImportOptions {
  /** Tells what would happen, and changes nothing. */
  readonly dryRun: boolean;
  /** Whether a group that has another token is given that of the file. */
  readonly replaceTokens: boolean;
  /** What an earlier file of a dry run would have brought. */
  readonly expected: {
    hasDataSource(providedId: string): boolean;
    hasUserGroup(providedId: string): boolean;
  };
}
