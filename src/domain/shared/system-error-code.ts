/** The `code` of a system or database error (`ENOENT`, `28P01`), or undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
