import { randomInt } from "node:crypto";
import { MAX_TEXT_LENGTH } from "../../domain/shared/text-field.js";
import { MAX_MAPPING_ENTRIES } from "../../domain/user-groups/mapping.js";
import { MAX_PROPERTIES_BYTES, MAX_PROPERTIES_DEPTH } from "../../domain/user-groups/properties.js";
import type { ContractRequest } from "./contract-reply.js";
import type { ContractSide } from "./contract-side.js";

/** One call that is sent to both services. */
export interface ContractCall {
  readonly name: string;
  /** Creates the request for one service. */
  requestOf(side: ContractSide): ContractRequest;
}

const PATH = "/api/user";
/** Exceeds the body limit (decision 4). */
const TOO_LARGE = 1024 * 1024;
/** Range of numeric IDs that are unlikely to exist in the other service. */
const LARGE_ID_RANGE = [10 ** 11, 10 ** 12] as const;

interface ScriptOptions {
  /** Prefix of all group IDs. */
  readonly prefix: string;
  /** External ID of a data source in both services; null omits the calls that need one. */
  readonly dataSource: string | null;
}

/** Returns all calls of the REST API, including its error cases, in an order in which each finds the data that it needs. */
export function contractScript({ prefix, dataSource }: ScriptOptions): ContractCall[] {
  const id = `${prefix}-main`;
  const other = `${prefix}-other`;
  const properties = { region: "EU", nested: { list: [1, "two", null, true], empty: {} } };
  const existing = { user_group_id: id };
  const newGroup = (suffix: string) => ({ user_group_id: `${prefix}-${suffix}`, name: "x" });
  const unknownMapping = { main: `${prefix}-nowhere` };
  const withToken = (more: object) => (side: ContractSide) => ({ current_token: side.tokenOf(id), ...more });
  const withPreviousToken = (side: ContractSide) => ({ current_token: side.previousTokenOf(id) });
  return [
    call("GET creates a group", "GET", { ...existing, name: "Contract check", properties }),
    call("GET returns an existing group", "GET", { ...existing, name: "Contract check", properties }),
    call("GET returns an existing group by ID only", "GET", existing),
    call("GET does not change an existing group", "GET", {
      ...existing,
      name: "Other name",
      properties: { other: 1 },
    }),
    call("GET ignores unknown fields", "GET", { ...existing, unknown_field: 1 }),
    call("GET with a trailing slash", "GET", existing, { path: `${PATH}/` }),
    call("GET creates a group without properties", "GET", { user_group_id: other, name: "Other" }),
    call("GET without a name creates nothing", "GET", { user_group_id: `${prefix}-none` }),
    call("GET without an ID", "GET", { name: "No ID" }),
    call("GET with a numeric ID", "GET", {
      user_group_id: randomInt(...LARGE_ID_RANGE),
      name: "Number",
    }),
    call("GET with an empty ID", "GET", { ...newGroup(""), user_group_id: "" }),
    call("GET with an ID that is too long", "GET", newGroup("".padEnd(MAX_TEXT_LENGTH, "x"))),
    call("GET with an array as properties", "GET", { ...newGroup("list"), properties: [] }),
    call("GET with properties that are nested too deeply", "GET", {
      ...newGroup("deep"),
      properties: nested(MAX_PROPERTIES_DEPTH + 1),
    }),
    call("GET with properties that are too large", "GET", {
      ...newGroup("large"),
      properties: { text: "x".repeat(MAX_PROPERTIES_BYTES) },
    }),
    call("GET with a mapping that is too large", "GET", {
      ...newGroup("mapped"),
      mapping: tooLargeMapping(),
    }),
    call("GET with an unknown data source", "GET", {
      ...newGroup("unmapped"),
      mapping: unknownMapping,
    }),
    call("PUT changes the name only", "PUT", { ...existing, name: "Renamed" }),
    call("PUT replaces the properties", "PUT", { ...existing, properties: { only: "this" } }),
    call("PUT without changes", "PUT", existing),
    call("GET returns the updated group", "GET", existing),
    call("PUT with null as properties", "PUT", { ...existing, properties: null }),
    call("PUT with an empty mapping", "PUT", { ...existing, mapping: {} }),
    call("PUT with null as mapping", "PUT", { ...existing, mapping: null }),
    call("PUT with null as name", "PUT", { ...existing, name: null }),
    call("PUT without an ID", "PUT", { name: "No ID" }),
    call("PUT with an unknown group", "PUT", { user_group_id: `${prefix}-none`, name: "None" }),
    call("PUT with an unknown data source", "PUT", { ...existing, mapping: unknownMapping }),
    ...(dataSource === null ? [] : mappedCalls(id, dataSource)),
    call("POST without a token", "POST", { ...existing, name: "Contract check" }),
    call("POST with a numeric token", "POST", { current_token: 5 }),
    call("POST with an unknown token", "POST", { current_token: "unknown-token" }),
    call("POST rotates the token", "POST", withToken({})),
    call("POST with the previous token", "POST", withPreviousToken),
    call("GET returns the new token", "GET", existing),
    call("DELETE without a token", "DELETE", existing),
    call("DELETE with the previous token", "DELETE", withPreviousToken),
    call("DELETE with another group's ID", "DELETE", withToken({ user_group_id: other })),
    call(
      "DELETE with a data source that is not mapped",
      "DELETE",
      withToken({ data_source_provided_id: unknownMapping.main }),
    ),
    call("DELETE with the token and the ID", "DELETE", withToken(existing)),
    call("DELETE again", "DELETE", withToken({})),
    call("PUT with a deleted group", "PUT", { ...existing, name: "Gone" }),
    call("GET creates a deleted group again", "GET", { ...existing, name: "Anew" }),
    ...protocolCalls(existing),
  ];
}

function mappedCalls(id: string, dataSource: string): ContractCall[] {
  return [
    call("PUT maps a schema to a data source", "PUT", { user_group_id: id, mapping: { main: dataSource } }),
    call("DELETE with another token and a mapped data source", "DELETE", {
      current_token: "unknown-token",
      data_source_provided_id: dataSource,
    }),
  ];
}

function protocolCalls(existing: object): ContractCall[] {
  return [
    call("no Authorization header", "GET", existing, { authorization: null }),
    call("an authorization scheme other than Token", "GET", existing, { authorization: () => "Basic eDp5" }),
    call("an unknown API key", "GET", existing, { authorization: () => "Token unknown-key" }),
    call("the authorization scheme in lower case", "GET", existing, {
      authorization: ({ target }) => `token ${target.key}`,
    }),
    call("a body that is not JSON", "GET", "{oops"),
    call("a body that is an array", "GET", "[]"),
    call("a body with another content type", "GET", existing, { contentType: "text/plain" }),
    call("no body", "PUT", null),
    call("a body that is too large", "PUT", { ...existing, padding: "x".repeat(TOO_LARGE) }),
    call("an unsupported method", "PATCH", existing),
  ];
}

type Body = object | string | null;

function call(
  name: string,
  method: string,
  body: Body | ((side: ContractSide) => Body),
  options: {
    readonly path?: string;
    readonly contentType?: string;
    readonly authorization?: ((side: ContractSide) => string) | null;
  } = {},
): ContractCall {
  const { path = PATH, contentType = "application/json" } = options;
  const { authorization = ({ target }: ContractSide) => `Token ${target.key}` } = options;
  return {
    name,
    requestOf(side) {
      const content = typeof body === "function" ? body(side) : body;
      return {
        method,
        path,
        headers: {
          ...(authorization ? { authorization: authorization(side) } : {}),
          ...(content === null ? {} : { "content-type": contentType }),
        },
        body: typeof content === "object" && content !== null ? JSON.stringify(content) : content,
      };
    },
  };
}

function tooLargeMapping(): object {
  const entries = Array.from({ length: MAX_MAPPING_ENTRIES + 1 }, (_, n) => [`s${n}`, "none"]);
  return Object.fromEntries(entries);
}

/** Returns an object with that many levels. */
function nested(levels: number): object {
  return levels === 1 ? {} : { a: nested(levels - 1) };
}
