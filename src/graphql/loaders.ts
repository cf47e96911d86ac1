import DataLoader from "dataloader";
import type { Caller } from "../domain/caller.js";
import type { DataSource } from "../domain/data-source.js";
import type { MappingEntry } from "../domain/mapping.js";
import type { UserGroup } from "../domain/user-group.js";
import type { Services } from "../services/services.js";

/**
 * What one request loads for one caller. What is asked for in the same turn goes to the database as one statement; what was
 * loaded is kept until the request ends or a mutation changes something.
 */
export class Loaders {
  readonly userGroupsById: DataLoader<number, UserGroup | null>;
  readonly userGroupsByProvidedId: DataLoader<string, UserGroup | null>;
  readonly userGroupsByToken: DataLoader<string, UserGroup | null>;
  readonly mappings: DataLoader<number, readonly MappingEntry[]>;
  readonly dataSourcesById: DataLoader<number, DataSource | null>;
  readonly dataSourcesByProvidedId: DataLoader<string, DataSource | null>;

  constructor({ userGroupReader, dataSources }: Services, caller: Caller) {
    this.userGroupsById = new DataLoader((ids) => userGroupReader.byIds(caller, ids));
    this.userGroupsByProvidedId = new DataLoader((ids) => userGroupReader.byProvidedIds(caller, ids));
    this.userGroupsByToken = new DataLoader((tokens) => userGroupReader.byTokens(caller, tokens));
    this.mappings = new DataLoader((ids) => userGroupReader.mappings(caller, ids));
    this.dataSourcesById = new DataLoader((ids) => dataSources.byIds(caller, ids));
    this.dataSourcesByProvidedId = new DataLoader((ids) => dataSources.byProvidedIds(caller, ids));
  }

  /** Forgets everything, so that what follows reads what a mutation wrote. */
  clear(): void {
    this.userGroupsById.clearAll();
    this.userGroupsByProvidedId.clearAll();
    this.userGroupsByToken.clearAll();
    this.mappings.clearAll();
    this.dataSourcesById.clearAll();
    this.dataSourcesByProvidedId.clearAll();
  }
}
