import { OperatorError } from "../domain/shared/operator-error.js";

/** What a command that is over may still need to end by itself. */
const AFTER_END_MS = 500;

/** Runs a command. @returns the exit code: that which it returns, or 0; 1 after reporting an expected failure without its stack */
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

/** Ends the process even if a connection stays open, half made or half closed, which would keep it as long as nobody answers there. */
export function endSoon(code: number): void {
  setTimeout(() => process.exit(code), AFTER_END_MS).unref();
}
