import { join } from "node:path";
import { z } from "zod";
import { readIfExists } from "./built-page.js";

const documents = z.record(z.string(), z.string());

/** Reads the console's GraphQL documents by ID; empty if the console has not been built. */
export async function readConsoleDocuments(directory: string): Promise<ReadonlyMap<string, string>> {
  const text = await readIfExists(join(directory, "documents.json"));
  return new Map(Object.entries(documents.parse(JSON.parse(text ?? "{}"))));
}
