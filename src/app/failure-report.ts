import { OperatorError } from "../domain/shared/operator-error.js";

/** Time for a finished command to exit by itself. */
const EXIT_GRACE_MS = 500;

/** Runs a command. @returns its exit code, or 0; 1 for an OperatorError, whose message is printed without the stack */
export async function reportFailure(command: () => Promise<unknown>): Promise<number> {
  try {
    const code = await command();
    return typeof code === "number" ? code : 0;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`${error.message}\n`);
    endSoon(1);
    return 1;
  }
}

/** Exits soon even if a half-open connection would keep the process alive. */
export function endSoon(code: number): void {
  setTimeout(() => process.exit(code), EXIT_GRACE_MS).unref();
}
