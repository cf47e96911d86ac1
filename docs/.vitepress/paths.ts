import { fileURLToPath } from "node:url";

/** Where the service serves the site. */
export const BASE = "/docs/";
/** The folder of this repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));
