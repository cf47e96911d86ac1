#!/usr/bin/env node
import { runCommand } from "./command-line.js";

process.exitCode = await runCommand(process.argv, process.env);
