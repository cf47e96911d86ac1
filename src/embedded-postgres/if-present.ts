import { errorCode } from "../domain/shared/error-code.js";

/** Waits for what is read of a file; undefined when the file does not exist. */
export async function ifPresent<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
