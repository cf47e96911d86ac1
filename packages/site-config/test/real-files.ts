import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { SiteConfigCode } from "../src/findings.js";

/** Real files, stored outside the repository. */
const folder = new URL("../../../../shared/site-config/real/", import.meta.url);

/** Names of the files; none if the folder does not exist. */
export const realFiles = existsSync(folder)
  ? readdirSync(folder).filter((name) => name.endsWith(".json"))
  : [];

/** The only ones that decision 17 rejects, and why. */
export const REFUSED: Readonly<Record<string, readonly (readonly [SiteConfigCode, string])[]>> = {
  "AetherLinkApp__aetherlink-docs__docs__mint.json": [["wrong_type", "/colors/background"]],
  "ml-in-barcelona__server-reason-react__documentation__mint.json": [["docs_json_format", "/navigation"]],
  "neus__network__docs__mint.json": [["docs_json_format", "/navigation"]],
  "neus__network__mint.json": [["docs_json_format", "/navigation"]],
};

export function readRealFile(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}
