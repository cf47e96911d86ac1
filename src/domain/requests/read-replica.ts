/** A copy of the database that reads may come from, and that may lag behind. */
export interface ReadReplica {
  /** Tells it from others, in the log too: no part of it is a secret. */
  readonly name: string;
}
