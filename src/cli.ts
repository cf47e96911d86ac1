#!/usr/bin/env node
// First: the decorators of TypeORM and TypeGraphQL need it.
import "reflect-metadata";
import { endSoon } from "./app/failure-report.js";
import { runCommand } from "./cli/program.js";

process.exitCode = await runCommand(process.argv, process.env);
if (process.exitCode !== 0) endSoon(process.exitCode);
