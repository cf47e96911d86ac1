import type { MappingReference } from "../user-groups/mapping.js";
import type { Properties } from "../user-groups/properties.js";

/** An imported data source. */
export interface ImportedDataSource {
  readonly providedId: string;
  /** Required if the record is created. */
  readonly name?: string;
}

/** An imported user group: absent fields stay unchanged, null clears a field (decision 7). */
export interface ImportedGroup {
  readonly providedId: string;
  /** Required if the record is created. */
  readonly name?: string;
  /** The imported token; without one, a new token is issued. */
  readonly token?: string;
  readonly properties?: Properties;
  readonly mapping?: readonly MappingReference[];
}

/** One imported mapping entry. */
export interface ImportedMapping {
  readonly userGroupId: string;
  readonly reference: MappingReference;
}

export interface ImportOptions {
  /** Report the outcome without changing anything. */
  readonly dryRun: boolean;
  /** Overwrite existing tokens with those in the file. */
  readonly replaceTokens: boolean;
  /** Records that would exist after the earlier files of the same dry run. */
  readonly expected: {
    hasDataSource(providedId: string): boolean;
    hasUserGroup(providedId: string): boolean;
  };
}
