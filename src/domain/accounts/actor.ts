/** Who changed something: the holder of an API key, or whoever works at the database with no key. */
export interface Actor {
  readonly keyId: number | null;
  readonly name: string;
  /** The id of the request, as in `X-Request-Id` and the log. */
  readonly requestId: string | null;
  /** By the group's id or its token's hash, where one statement writes groups for several requests. */
  readonly requestIds?: Readonly<Record<string, string | null>>;
}
