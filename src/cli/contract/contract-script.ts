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
  const withFormerToken = (side: ContractSide) => ({ current_token: side.formerTokenOf(id) });
  return [
    call("GET creates a group", "GET", { ...existing, name: "Contract check", properties }),
    call("GET again returns it", "GET", { ...existing, name: "Contract check", properties }),
    call("GET needs only the id of a group that is there", "GET", existing),
    call("GET leaves a group as it is", "GET", { ...existing, name: "Other name", properties: { other: 1 } }),
    call("GET ignores unknown fields", "GET", { ...existing, unknown_field: 1 }),
    call("GET at the path with a slash at its end", "GET", existing, { path: `${PATH}/` }),
    call("GET creates a group without properties", "GET", { user_group_id: other, name: "Other" }),
    call("GET without a name creates nothing", "GET", { user_group_id: `${prefix}-none` }),
    call("GET without an id", "GET", { name: "No id" }),
    call("GET with an id that is a number", "GET", {
      user_group_id: randomInt(...LARGE_ID_RANGE),
      name: "Number",
    }),
    call("GET with an empty id", "GET", { ...newGroup(""), user_group_id: "" }),
    call("GET with an id that is too long", "GET", newGroup("".padEnd(MAX_TEXT_LENGTH, "x"))),
    call("GET with properties that are a list", "GET", { ...newGroup("list"), properties: [] }),
    call("GET with properties that are too deep", "GET", {
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
    call("GET with a data source that is not there", "GET", {
      ...newGroup("unmapped"),
      mapping: unknownMapping,
    }),
    call("PUT changes the name only", "PUT", { ...existing, name: "Renamed" }),
    call("PUT replaces the properties", "PUT", { ...existing, properties: { only: "this" } }),
    call("PUT with nothing to change", "PUT", existing),
    call("GET sees what PUT has changed", "GET", existing),
    call("PUT clears the properties with null", "PUT", { ...existing, properties: null }),
    call("PUT empties the mapping", "PUT", { ...existing, mapping: {} }),
    call("PUT clears the mapping with null", "PUT", { ...existing, mapping: null }),
    call("PUT with a name that is null", "PUT", { ...existing, name: null }),
    call("PUT without an id", "PUT", { name: "No id" }),
    call("PUT never creates", "PUT", { user_group_id: `${prefix}-none`, name: "None" }),
    call("PUT with a data source that is not there", "PUT", { ...existing, mapping: unknownMapping }),
    ...(dataSource === null ? [] : mappedCalls(id, dataSource)),
    call("POST without a token never rotates", "POST", { ...existing, name: "Contract check" }),
    call("POST with a token that is a number", "POST", { current_token: 5 }),
    call("POST with an unknown token", "POST", { current_token: "unknown-token" }),
    call("POST rotates the token", "POST", withToken({})),
    call("POST with the former token", "POST", withFormerToken),
    call("GET returns the new token", "GET", existing),
    call("DELETE without a token", "DELETE", existing),
    call("DELETE with the former token", "DELETE", withFormerToken),
    call("DELETE with another group's id", "DELETE", withToken({ user_group_id: other })),
    call(
      "DELETE with a data source that is not mapped",
      "DELETE",
      withToken({ data_source_provided_id: unknownMapping.main }),
    ),
    call("DELETE with the token and the id", "DELETE", withToken(existing)),
    call("DELETE again", "DELETE", withToken({})),
    call("PUT of a group that was deleted", "PUT", { ...existing, name: "Gone" }),
    call("GET creates it anew", "GET", { ...existing, name: "Anew" }),
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
    call("another scheme than Token", "GET", existing, { authorization: () => "Basic eDp5" }),
    call("an unknown API key", "GET", existing, { authorization: () => "Token unknown-key" }),
    call("the scheme in small letters", "GET", existing, {
      authorization: ({ target }) => `token ${target.key}`,
    }),
    call("a body that is not JSON", "GET", "{oops"),
    call("a body that is a list", "GET", "[]"),
    call("a body of another type", "GET", existing, { contentType: "text/plain" }),
    call("no body", "PUT", null),
    call("a body that is too large", "PUT", { ...existing, padding: "x".repeat(TOO_LARGE) }),
    call("another method", "PATCH", existing),
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
