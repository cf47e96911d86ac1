#!/usr/bin/env node
// First: the decorators of TypeORM and TypeGraphQL need it.
import "reflect-metadata";
import { runCommand } from "./cli/program.js";

process.exitCode = await runCommand(process.argv, process.env);
