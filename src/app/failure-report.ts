import { OperatorError } from "../domain/shared/operator-error.js";

/** What a command that is over may still need to end by itself. */
const AFTER_END_MS = 500;

/** Runs a command. @returns 0, or 1 after telling an expected failure without its stack */
export async function reportFailure(command: () => Promise<void>): Promise<number> {
  try {
    await command();
    return 0;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`${error.message}\n`);
    endSoon(1);
    return 1;
  }
}

/** Ends the process even if a connection stays open, half made or half closed, which would keep it as long as nobody answers there. */
export function endSoon(code: number): void {
  setTimeout(() => process.exit(code), AFTER_END_MS).unref();
}
