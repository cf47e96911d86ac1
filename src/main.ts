import { serve } from "./app/serve.js";

process.exitCode = await serve(process.env);
