import type { Data } from "../graphql/graphql-fixture.js";

/** What a user group is. Of a token that nobody was told, nobody knows more than that it is there. */
export interface GroupState {
  readonly providedId: string;
  readonly name: string;
  readonly properties: { readonly stamp: number };
  /** The data source that its one schema leads to; null for no mapping. */
  readonly source: string | null;
  readonly token: string | null;
  readonly version: number;
}

const SCHEMA = "schema";
/** What GraphQL is asked of a group. */
export const FIELDS =
  "providedId name properties mapping { schemaId dataSource { providedId } } token version";

/** The body of a REST call that brings a state about. */
export function restBody({ providedId, name, properties, source }: GroupState) {
  return { user_group_id: providedId, name, properties, ...(source && { mapping: { [SCHEMA]: source } }) };
}

/** The input of a mutation that does. */
export function graphqlInput({ providedId, name, properties, source }: GroupState) {
  return {
    providedId,
    name,
    properties,
    ...(source && { mapping: [{ schemaId: SCHEMA, dataSource: source }] }),
  };
}

/** How REST shows a group, beside what only some methods tell. */
export function restView({ providedId, name, properties, token }: GroupState): Data {
  return { token, name, provided_id: providedId, properties };
}

/** How GraphQL shows a group, or that there is none. */
export function graphqlView(state: GroupState | null): Data {
  if (!state) return null;
  const { providedId, name, properties, source, token, version } = state;
  const mapping = source === null ? [] : [{ schemaId: SCHEMA, dataSource: { providedId: source } }];
  return { providedId, name, properties, mapping, token, version };
}
