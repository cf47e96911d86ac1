import { join } from "node:path";
import { z } from "zod";
import { readIfExists } from "./built-page.js";

const documents = z.record(z.string(), z.string());

/** Reads the documents that the console sends, by their ids; none when it has not been built. */
export async function readConsoleDocuments(directory: string): Promise<ReadonlyMap<string, string>> {
  const text = await readIfExists(join(directory, "documents.json"));
  return new Map(Object.entries(documents.parse(JSON.parse(text ?? "{}"))));
}
