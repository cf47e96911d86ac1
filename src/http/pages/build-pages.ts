import { fileURLToPath } from "node:url";
import { compressAssets } from "./page-build.js";
import { buildPages } from "./pages-build.js";

// The last step of `npm run build`: the pages go beside the compiled sources, where the console was built before.
await buildPages(fileURLToPath(new URL("../../../pages", import.meta.url)));
await compressAssets(fileURLToPath(new URL("../../../console", import.meta.url)));
