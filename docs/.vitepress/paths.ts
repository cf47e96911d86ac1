import { fileURLToPath } from "node:url";

/** Path of the site. `DOCS_BASE` overrides it for a service below a path prefix of a proxy. */
export const BASE = process.env["DOCS_BASE"] ?? "/docs/";
/** The folder of this repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));
