/** An expected failure of the embedded PostgreSQL server; its message is one line, meant for the operator. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
}

/** The `code` of a system or database error (`ENOENT`, `28P01`), or undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
