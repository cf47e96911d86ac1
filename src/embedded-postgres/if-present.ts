import { errorCode } from "../domain/shared/system-error-code.js";

/** Awaits a file operation; undefined when the file does not exist. */
export async function ifPresent<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
