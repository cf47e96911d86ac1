import type { Data } from "../graphql/graphql-fixture.js";

/** The state of a user group. A token whose reply was lost is only known to exist. */
export interface GroupState {
  readonly providedId: string;
  readonly name: string;
  readonly properties: { readonly stamp: number };
  /** The data source of all its schemas, so that a partial mapping shows; null without a mapping. */
  readonly source: string | null;
  readonly token: string | null;
  readonly version: number;
}

const SCHEMAS = ["a", "b"];
/** The GraphQL selection for a group. */
export const FIELDS =
  "providedId name properties mapping { schemaId dataSource { providedId } } token version";

/** The body of a REST call that results in a state. */
export function restBody({ providedId, name, properties, source }: GroupState) {
  const mapping = source && { mapping: Object.fromEntries(SCHEMAS.map((schema) => [schema, source])) };
  return { user_group_id: providedId, name, properties, ...mapping };
}

/** The input of a mutation that results in a state. */
export function graphqlInput({ providedId, name, properties, source }: GroupState) {
  const mapping = source && { mapping: SCHEMAS.map((schemaId) => ({ schemaId, dataSource: source })) };
  return { providedId, name, properties, ...mapping };
}

/** A group's REST representation, without the fields that only some methods return. */
export function restView({ providedId, name, properties, token }: GroupState): Data {
  return { token, name, provided_id: providedId, properties };
}

/** A group's GraphQL representation, or null. */
export function graphqlView(state: GroupState | null): Data {
  if (!state) return null;
  const { providedId, name, properties, source, token, version } = state;
  const dataSource = { providedId: source };
  const mapping = source === null ? [] : SCHEMAS.map((schemaId) => ({ schemaId, dataSource }));
  return { providedId, name, properties, mapping, token, version };
}
