import { pipeline } from "node:stream/promises";
import { OperatorError } from "../../domain/shared/operator-error.js";

/** Writes to stdout and waits until everything is written. @throws OperatorError if writing fails */
export async function writeOutput(text: string): Promise<void> {
  try {
    await pipeline([text], process.stdout, { end: false });
  } catch (error) {
    // The reader closed the pipe, as `head` does.
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`Cannot write to standard output: ${reason}.`, { cause: error });
  }
}
