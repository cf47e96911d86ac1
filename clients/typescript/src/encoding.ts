/** Returns the bytes of base64 or base64url text; none if it is invalid, so that no signature and no key matches. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    const characters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(characters, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Returns the object in a part of a JWT; undefined if it is none. */
export function parseJwtPart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(decodeBase64(part)));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object(value) : undefined;
  } catch {
    return undefined;
  }
}
