import { fileURLToPath } from "node:url";
import { compressAssets } from "./page-build.js";
import { buildPages } from "./pages-build.js";

// Last step of `npm run build`: writes the pages next to the compiled sources, where the console has already been built.
await buildPages(fileURLToPath(new URL("../../../pages", import.meta.url)));
await compressAssets(fileURLToPath(new URL("../../../console", import.meta.url)));
