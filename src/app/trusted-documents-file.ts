import { readFile } from "node:fs/promises";
import { z } from "zod";
import { OperatorError } from "../domain/shared/operator-error.js";
import { createBareSchema } from "../graphql/server/schema.js";
import { findFaultyDocument, TrustedDocuments } from "../graphql/server/trusted-documents.js";

const format = z.record(z.string(), z.string());

/**
 * Reads the documents that may run: a JSON object with the text of each under its id, as GraphQL Code Generator's and Relay's
 * tools write it.
 * @param further documents of the service's own that may run beside them
 * @throws OperatorError when the file cannot be read, is no such object, or has a document that is not valid
 */
export async function readTrustedDocuments(
  path: string,
  further: ReadonlyMap<string, string> = new Map(),
): Promise<TrustedDocuments> {
  const documents = new Map(Object.entries(parse(await read(path), path)));
  const faulty = findFaultyDocument(documents, createBareSchema());
  if (faulty) throw failure(path, `has a document ${faulty.id} that cannot run: ${faulty.fault}`);
  return new TrustedDocuments(new Map([...further, ...documents]));
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
  const line = `TRUSTED_DOCUMENTS ${path} ${fault}`.replaceAll(/\s+/g, " ").replace(/\.?$/, ".");
  return new OperatorError(line, { cause });
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
