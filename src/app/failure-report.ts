import { OperatorError, type OperatorErrorCode } from "../domain/shared/operator-error.js";

/** Time for a finished command to exit by itself. */
const EXIT_GRACE_MS = 500;

/** Exit codes by error code; 1 for all others, such as input that was rejected or something that was not found. */
const EXIT_CODES: Partial<Record<OperatorErrorCode, number>> = { usage: 2, unavailable: 3 };

/** Runs a command. @returns its exit code, or 0; for an error, which is reported without the stack, that of its code */
export async function reportFailure(command: () => Promise<unknown>, isJson = false): Promise<number> {
  try {
    const code = await command();
    return typeof code === "number" ? code : 0;
  } catch (error) {
    if (!(error instanceof OperatorError || isJson)) throw error;
    return printFailure(error, isJson);
  }
}

/** Reports an error on stderr, with `--json` as one line of JSON. @returns the exit code */
export function printFailure(error: unknown, isJson: boolean): number {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof OperatorError ? error.code : "internal";
  process.stderr.write(`${isJson ? JSON.stringify({ error: { code, message } }) : message}\n`);
  return EXIT_CODES[code] ?? 1;
}

/** Exits soon even if a half-open connection would keep the process alive. */
export function endSoon(code: number): void {
  setTimeout(() => process.exit(code), EXIT_GRACE_MS).unref();
}
