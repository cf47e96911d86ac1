import { pipeline } from "node:stream/promises";
import { OperatorError } from "../../domain/shared/operator-error.js";

/** Writes to standard output and waits until all of it is taken. @throws OperatorError when it cannot be written */
export async function writeOutput(text: string): Promise<void> {
  try {
    await pipeline([text], process.stdout, { end: false });
  } catch (error) {
    // Whoever reads has seen enough, as `head` has.
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`Cannot write to standard output: ${reason}.`, { cause: error });
  }
}
