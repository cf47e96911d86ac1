// First: the decorators of TypeORM and TypeGraphQL need it.
import "reflect-metadata";
import { serve } from "./app/serve.js";

process.exitCode = await serve(process.env);
