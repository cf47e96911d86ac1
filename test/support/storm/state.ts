import { isDeepStrictEqual } from "node:util";
import type { Data } from "../graphql/graphql-fixture.js";

/** What a caller says of a group. */
export interface GroupFields {
  readonly name: string;
  readonly properties: object | null;
  /** The provided id of a data source by schema. */
  readonly mapping: Readonly<Record<string, string>>;
}

/** A group as its caller knows it. */
export interface GroupState extends GroupFields {
  /** Undefined until the service has told it; so is the token. */
  readonly teamId: number | undefined;
  readonly token: string | undefined;
  /** How often it was changed, its creation included. */
  readonly version: number;
}

/** What a reply says of a group. */
export type Told = Partial<GroupState>;

/** The group after its creation. */
export function created(fields: GroupFields): GroupState {
  return { ...fields, teamId: undefined, token: undefined, version: 1 };
}

/** The group after a write of these fields; equal ones are no change (decision 12a). */
export function changed(state: GroupState, fields: Partial<GroupFields>): GroupState {
  const written = { ...state, ...fields };
  return isDeepStrictEqual(written, state) ? state : { ...written, version: state.version + 1 };
}

/** The group after a rotation. */
export function rotated(state: GroupState): GroupState {
  return { ...state, token: undefined, version: state.version + 1 };
}

/** A mapping as GraphQL takes it. */
export function entriesOf(mapping: GroupFields["mapping"]) {
  return Object.entries(mapping).map(([schemaId, dataSource]) => ({ schemaId, dataSource }));
}

/** The group of a reply of the REST API. */
export function toldByRest(body: unknown): Told {
  const { team_id: teamId, token, name, properties } = Object(body).user_group;
  return { teamId, token, name, ...(properties === undefined ? {} : { properties }) };
}

/** A group of GraphQL's. */
export function toldByGraphql(userGroup: Data): Told | null {
  if (userGroup === null) return null;
  const { teamId, token, name, properties, version } = userGroup;
  const entries = userGroup.mapping.map((entry: Data) => [entry.schemaId, entry.dataSource.providedId]);
  return { teamId, token, name, properties, version, mapping: Object.fromEntries(entries) };
}
