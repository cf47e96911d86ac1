import { isObject } from "./is-object.js";

/** Parses the text of a JSON object. @returns the error in place of it */
export function parseObject(text: string): { readonly value?: object; readonly error?: string } {
  try {
    const value: unknown = JSON.parse(text, (_, member: unknown) => {
      if (typeof member === "number" && Math.abs(member) > Number.MAX_SAFE_INTEGER)
        throw new Error("numbers beyond 2^53 − 1 must be texts.");
      return member;
    });
    return isObject(value) ? { value } : { error: "Must be a JSON object, in braces." };
  } catch (error) {
    return { error: `Not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
