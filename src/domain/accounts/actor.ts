/** Who changed something: the holder of an API key, or whoever works at the database with no key. */
export interface Actor {
  readonly keyId: number | null;
  readonly name: string;
  /** The id of the request, as in `X-Request-Id` and the log. */
  readonly requestId: string | null;
  /** By the ids of groups, where one statement writes them for several requests. */
  readonly requestIds?: Readonly<Record<string, string | null>>;
}
