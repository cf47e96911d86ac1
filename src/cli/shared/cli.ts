import type { Command } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import type { Output } from "./output.js";

/** The parts of the command line that every command needs. */
export interface Cli {
  readonly program: Command;
  readonly environment: ProcessEnvironment;
  /**
   * Runs a command, reports expected failures and sets the exit code to the returned number, if any. The command imports its code itself:
   * loading the code of all commands would take four times as long as the help and a shell's completion need.
   */
  readonly run: (command: (output: Output) => Promise<unknown>) => Promise<void>;
}
