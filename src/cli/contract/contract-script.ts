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
const TWELVE_DIGITS = [10 ** 11, 10 ** 12] as const;

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
  const known = { user_group_id: id };
  const named = (suffix: string) => ({ user_group_id: `${prefix}-${suffix}`, name: "x" });
  const nowhere = { main: `${prefix}-nowhere` };
  const withToken = (more: object) => (side: ContractSide) => ({ current_token: side.tokenOf(id), ...more });
  const withFormerToken = (side: ContractSide) => ({ current_token: side.formerTokenOf(id) });
  return [
    call("GET creates a group", "GET", { ...known, name: "Contract check", properties }),
    call("GET again returns it", "GET", { ...known, name: "Contract check", properties }),
    call("GET needs only the id of a group that is there", "GET", known),
    call("GET leaves a group as it is", "GET", { ...known, name: "Other name", properties: { other: 1 } }),
    call("GET ignores unknown fields", "GET", { ...known, unknown_field: 1 }),
    call("GET at the path with a slash at its end", "GET", known, { path: `${PATH}/` }),
    call("GET creates a group without properties", "GET", { user_group_id: other, name: "Other" }),
    call("GET without a name creates nothing", "GET", { user_group_id: `${prefix}-none` }),
    call("GET without an id", "GET", { name: "No id" }),
    call("GET with an id that is a number", "GET", {
      user_group_id: randomInt(...TWELVE_DIGITS),
      name: "Number",
    }),
    call("GET with an empty id", "GET", { ...named(""), user_group_id: "" }),
    call("GET with an id that is too long", "GET", named("".padEnd(MAX_TEXT_LENGTH, "x"))),
    call("GET with properties that are a list", "GET", { ...named("list"), properties: [] }),
    call("GET with properties that are too deep", "GET", {
      ...named("deep"),
      properties: nested(MAX_PROPERTIES_DEPTH + 1),
    }),
    call("GET with properties that are too large", "GET", {
      ...named("large"),
      properties: { text: "x".repeat(MAX_PROPERTIES_BYTES) },
    }),
    call("GET with a mapping that is too large", "GET", { ...named("mapped"), mapping: tooLargeMapping() }),
    call("GET with a data source that is not there", "GET", { ...named("unmapped"), mapping: nowhere }),
    call("PUT changes the name only", "PUT", { ...known, name: "Renamed" }),
    call("PUT replaces the properties", "PUT", { ...known, properties: { only: "this" } }),
    call("PUT with nothing to change", "PUT", known),
    call("GET sees what PUT has changed", "GET", known),
    call("PUT clears the properties with null", "PUT", { ...known, properties: null }),
    call("PUT empties the mapping", "PUT", { ...known, mapping: {} }),
    call("PUT clears the mapping with null", "PUT", { ...known, mapping: null }),
    call("PUT with a name that is null", "PUT", { ...known, name: null }),
    call("PUT without an id", "PUT", { name: "No id" }),
    call("PUT never creates", "PUT", { user_group_id: `${prefix}-none`, name: "None" }),
    call("PUT with a data source that is not there", "PUT", { ...known, mapping: nowhere }),
    ...(dataSource === null ? [] : mappedCalls(id, dataSource)),
    call("POST without a token never rotates", "POST", { ...known, name: "Contract check" }),
    call("POST with a token that is a number", "POST", { current_token: 5 }),
    call("POST with an unknown token", "POST", { current_token: "unknown-token" }),
    call("POST rotates the token", "POST", withToken({})),
    call("POST with the former token", "POST", withFormerToken),
    call("GET returns the new token", "GET", known),
    call("DELETE without a token", "DELETE", known),
    call("DELETE with the former token", "DELETE", withFormerToken),
    call("DELETE with another group's id", "DELETE", withToken({ user_group_id: other })),
    call(
      "DELETE with a data source that is not mapped",
      "DELETE",
      withToken({ data_source_provided_id: nowhere.main }),
    ),
    call("DELETE with the token and the id", "DELETE", withToken(known)),
    call("DELETE again", "DELETE", withToken({})),
    call("PUT of a group that was deleted", "PUT", { ...known, name: "Gone" }),
    call("GET creates it anew", "GET", { ...known, name: "Anew" }),
    ...protocolCalls(known),
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

function protocolCalls(known: object): ContractCall[] {
  return [
    call("no Authorization header", "GET", known, { authorization: null }),
    call("another scheme than Token", "GET", known, { authorization: () => "Basic eDp5" }),
    call("an unknown API key", "GET", known, { authorization: () => "Token unknown-key" }),
    call("the scheme in small letters", "GET", known, {
      authorization: ({ target }) => `token ${target.key}`,
    }),
    call("a body that is not JSON", "GET", "{oops"),
    call("a body that is a list", "GET", "[]"),
    call("a body of another type", "GET", known, { contentType: "text/plain" }),
    call("no body", "PUT", null),
    call("a body that is too large", "PUT", { ...known, padding: "x".repeat(TOO_LARGE) }),
    call("another method", "PATCH", known),
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
