import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isEnumType,
  Kind,
  OperationTypeNode,
  parse,
  TypeInfo,
  type TypeNode,
  validate,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { serviceOptions } from "../../app/service-options.js";
import { type ProcessEnvironment, readConfig } from "../../config/config.js";
import { ERROR_CODES } from "../../domain/shared/error-catalogue.js";
import { DomainError } from "../../domain/shared/errors.js";
import { isObject } from "../../domain/shared/json.js";
import { parseJsonText } from "../../domain/shared/json-text.js";
import { OperatorError, type OperatorErrorCode, UsageError } from "../../domain/shared/operator-error.js";
import { JsonSource } from "../../domain/shared/stored-json.js";
import { createSchema } from "../../graphql/server/schema.js";
import { createContext, type GraphqlContext } from "../../graphql/shared/context.js";
import { domainErrorOf, errorMessage, toGraphqlCode } from "../../graphql/shared/error-format.js";
import { stringifyReply } from "../../graphql/shared/raw-json.js";
import { UserGroupWatcher } from "../../graphql/user-groups/watcher.js";
import { createServices } from "../../services/services.js";
import type { Output } from "../shared/output.js";
import { type AccountChoice, withAccount } from "../shared/storage.js";

/** Types whose values `--variable` takes as they are; those of other types are JSON. */
const TEXT_TYPES = ["String", "ID", "DateTime"];
const STANDARD_INPUT = "-";
const USER_ERRORS = "{ userErrors { code message } }";

interface GraphqlOptions extends AccountChoice {
  readonly author: string;
  readonly file?: string;
  readonly variables?: string;
  readonly variable: readonly string[];
}

/** A reason why an operation failed. */
interface Problem {
  readonly message: string;
  readonly code: OperatorErrorCode;
}

/**
 * Runs a query or mutation in one environment of an account and prints its data.
 * @throws OperatorError for GraphQL errors and refused mutations, after it has printed the data, if any
 */
export async function runGraphql(
  settings: ProcessEnvironment,
  query: string | undefined,
  options: GraphqlOptions,
  { input, output }: { readonly input: NodeJS.ReadableStream; readonly output: Output },
): Promise<void> {
  const schema = createSchema();
  const document = parseDocument(schema, await readQuery(query, options.file, input));
  const variableValues = await readVariables(schema, document, options, input);
  const { data, errors = [] } = await withContext(settings, options, (contextValue) =>
    execute({ schema, document: selectUserErrors(schema, document), variableValues, contextValue }),
  );
  if (data) {
    const json = stringifyReply(data, 2);
    await output.print(new JsonSource(json), `${json}\n`);
  }
  throwFirst([...errors.map(describe), ...userErrorsIn(data)]);
}

async function readQuery(
  query: string | undefined,
  file: string | undefined,
  input: NodeJS.ReadableStream,
): Promise<string> {
  if (query !== undefined && file === undefined) return query;
  if (query === undefined && file !== undefined) return readText(file, input);
  throw new UsageError("Pass a query, or its file with --file, but not both.");
}

async function readText(file: string, input: NodeJS.ReadableStream): Promise<string> {
  try {
    return await (file === STANDARD_INPUT ? text(input) : readFile(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`Cannot read ${file}: ${reason}.`, { cause: error });
  }
}

/** @throws OperatorError if the document is not valid GraphQL of the schema */
function parseDocument(schema: GraphQLSchema, source: string): DocumentNode {
  try {
    const document = parse(source);
    throwFirst(validate(schema, document).map(describe));
    return document;
  } catch (error) {
    if (error instanceof GraphQLError) throwFirst([describe(error)]);
    throw error;
  }
}

async function readVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variables, variable }: GraphqlOptions,
  input: NodeJS.ReadableStream,
): Promise<Readonly<Record<string, unknown>>> {
  const operation = getOperationAST(document);
  if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) {
    throw new UsageError("The query must have exactly one operation, a query or a mutation.");
  }
  const types = new Map(
    operation.variableDefinitions?.map(({ variable: { name }, type }) => [name.value, type]),
  );
  const json = variables?.startsWith("@") ? await readText(variables.slice(1), input) : variables;
  const object = json === undefined ? {} : parseJson(json, "--variables");
  if (!isObject(object)) throw new UsageError("--variables must be a JSON object.");
  const single = variable.map((setting): [string, unknown] => {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
    const type = types.get(name);
    if (!type) throw new UsageError(`--variable ${setting}: the query declares no variable $${name}.`);
    return [name, isText(schema, type) ? value : parseJson(value, `--variable ${name}`)];
  });
  const all = { ...object, ...Object.fromEntries(single) };
  const unknown = Object.keys(all).find((name) => !types.has(name));
  if (unknown !== undefined) throw new UsageError(`The query declares no variable $${unknown}.`);
  return all;
}

function isText(schema: GraphQLSchema, type: TypeNode): boolean {
  if (type.kind === Kind.NON_NULL_TYPE) return isText(schema, type.type);
  if (type.kind === Kind.LIST_TYPE) return false;
  return TEXT_TYPES.includes(type.name.value) || isEnumType(schema.getType(type.name.value));
}

function parseJson(json: string, name: string): unknown {
  try {
    return parseJsonText(json, name);
  } catch (error) {
    throw error instanceof DomainError ? new UsageError(error.message, { cause: error }) : error;
  }
}

/** Executes with admin access to the account's environment. Changes are published to running processes. */
async function withContext(
  settings: ProcessEnvironment,
  options: GraphqlOptions,
  run: (context: GraphqlContext) => ExecutionResult | Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const actor = { name: options.author, requestId: null };
  return withAccount(settings, options, actor, async ({ writer: caller, ...storage }) => {
    const config = serviceOptions(readConfig(settings), storage);
    const services = createServices(storage.database, storage.vault, config);
    try {
      const watcher = new UserGroupWatcher(services.userGroupWatches);
      const context = await createContext(services, watcher, {
        id: "cli",
        identity: { kind: "caller", caller },
        authorization: undefined,
        idempotencyKey: undefined,
        address: "",
        recordWrite: () => undefined,
        recordRefusal: () => undefined,
      });
      return await run(context);
    } finally {
      await services.changes.close();
    }
  });
}

/** Selects the errors of each mutation, so that a refusal is noticed whatever the query selects. */
function selectUserErrors(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const types = new TypeInfo(schema);
  const userErrors = getOperationAST(parse(USER_ERRORS))?.selectionSet.selections ?? [];
  const addErrors = (node: FieldNode) => {
    if (!node.selectionSet || types.getParentType() !== schema.getMutationType()) return undefined;
    const selections = [...node.selectionSet.selections, ...userErrors];
    return { ...node, selectionSet: { ...node.selectionSet, selections } };
  };
  return visit(document, visitWithTypeInfo(types, { Field: { leave: addErrors } }));
}

function describe(error: GraphQLError): Problem {
  const known = domainErrorOf(error);
  // The text of an error in the document shows its place.
  return known
    ? { message: errorMessage(known), code: known.code }
    : { message: String(error), code: "failed" };
}

/** Returns the errors of refused mutations. */
function userErrorsIn(data: ExecutionResult["data"]): Problem[] {
  return Object.values(data ?? {}).flatMap((payload) => {
    const errors = isObject(payload) ? payload["userErrors"] : undefined;
    return Array.isArray(errors) ? errors.filter(isObject).map(toProblem) : [];
  });
}

function toProblem({ code, message }: Readonly<Record<string, unknown>>): Problem {
  const known = ERROR_CODES.find((each) => toGraphqlCode(each) === code);
  return { message: String(message), code: known ?? "failed" };
}

/** Throws all problems as one error, with the code of the first. */
function throwFirst(problems: readonly Problem[]): void {
  const [first] = problems;
  if (!first) return;
  throw new OperatorError(problems.map(({ message }) => message).join("\n"), { code: first.code });
}
