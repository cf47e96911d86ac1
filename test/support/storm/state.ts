import { isDeepStrictEqual } from "node:util";
import type { Data } from "../graphql/graphql-fixture.js";

/** The fields that a caller sets. */
export interface GroupFields {
  readonly name: string;
  readonly properties: object | null;
  /** The external ID of a data source by schema. */
  readonly mapping: Readonly<Record<string, string>>;
}

/** A group as its caller knows it. */
export interface GroupState extends GroupFields {
  /** Undefined until a reply has contained it; likewise the token. */
  readonly teamId: number | undefined;
  readonly token: string | undefined;
  /** The number of changes, including its creation. */
  readonly version: number;
}

/** The fields of a group in a reply. */
export type ReplyFields = Partial<GroupState>;

/** The state after creation. */
export function created(fields: GroupFields): GroupState {
  return { ...fields, teamId: undefined, token: undefined, version: 1 };
}

/** The state after a write of these fields; equal values are no change (decision 12a). */
export function changed(state: GroupState, fields: Partial<GroupFields>): GroupState {
  const written = { ...state, ...fields };
  return isDeepStrictEqual(written, state) ? state : { ...written, version: state.version + 1 };
}

/** The state after a rotation. */
export function rotated(state: GroupState): GroupState {
  return { ...state, token: undefined, version: state.version + 1 };
}

/** A mapping as GraphQL input. */
export function entriesOf(mapping: GroupFields["mapping"]) {
  return Object.entries(mapping).map(([schemaId, dataSource]) => ({ schemaId, dataSource }));
}

/** The group of a REST reply. */
export function fieldsOfRest(body: unknown): ReplyFields {
  const { team_id: teamId, token, name, properties } = Object(body).user_group;
  return { teamId, token, name, ...(properties === undefined ? {} : { properties }) };
}

/** The group of a GraphQL reply. */
export function fieldsOfGraphql(userGroup: Data): ReplyFields | null {
  if (userGroup === null) return null;
  const { teamId, token, name, properties, version } = userGroup;
  const entries = userGroup.mapping.map((entry: Data) => [entry.schemaId, entry.dataSource.providedId]);
  return { teamId, token, name, properties, version, mapping: Object.fromEntries(entries) };
}
