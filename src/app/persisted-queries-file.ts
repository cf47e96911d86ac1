import { readFile } from "node:fs/promises";
import type { GraphQLSchema } from "graphql";
import { z } from "zod";
import { OperatorError } from "../domain/shared/operator-error.js";
import { findInvalidDocument, PersistedQueries } from "../graphql/server/persisted-queries.js";
import { createSchema } from "../graphql/server/schema.js";

const format = z.record(z.string(), z.string());

/**
 * Reads the persisted queries: a JSON object that maps IDs to documents, as written by GraphQL Code Generator and Relay.
 * @param builtIn documents that are also allowed, such as the console's
 * @throws OperatorError when the file cannot be read, has another format or contains an invalid document
 */
export async function readPersistedQueries(
  path: string,
  builtIn: ReadonlyMap<string, string> = new Map(),
  schema: GraphQLSchema = createSchema(),
): Promise<PersistedQueries> {
  const documents = new Map(Object.entries(parse(await read(path), path)));
  const invalid = findInvalidDocument(documents, schema);
  if (invalid) throw failure(path, `contains the invalid document ${invalid.id}: ${invalid.message}`);
  return new PersistedQueries(new Map([...builtIn, ...documents]));
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw failure(path, `cannot be read: ${reason(error)}`, error);
  }
}

function parse(text: string, path: string): Readonly<Record<string, string>> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw failure(path, `is not JSON: ${reason(error)}`, error);
  }
  const { success, data } = format.safeParse(json);
  if (!success) throw failure(path, 'must be a JSON object such as {"<id>": "<document>"}');
  return data;
}

function failure(path: string, fault: string, cause?: unknown): OperatorError {
  const line = `PERSISTED_QUERIES ${path} ${fault}`.replaceAll(/\s+/g, " ").replace(/\.?$/, ".");
  return new OperatorError(line, { cause });
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
