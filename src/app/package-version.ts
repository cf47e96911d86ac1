import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject } from "../domain/shared/json.js";

const NAME = "user-groups";

/** Returns the version in the service's package.json, searched in the parent directories; "unknown" if it was not deployed. */
export async function packageVersion(): Promise<string> {
  for (let directory = import.meta.dirname; ; directory = dirname(directory)) {
    const text = await readFile(join(directory, "package.json"), "utf8").catch(() => "{}");
    const description: unknown = JSON.parse(text);
    if (isObject(description) && description["name"] === NAME) return String(description["version"]);
    if (dirname(directory) === directory) return "unknown";
  }
}
