import { once } from "node:events";
import { type LoadOptions, type LoadResult, runLoad } from "./soak-load.js";

/** The process of the clients: told what to do in its first message, it does it and answers with what came of it. */
const options: LoadOptions = (await once(process, "message"))[0];
const result: LoadResult = await runLoad(options);
process.send?.(result, () => process.disconnect());
