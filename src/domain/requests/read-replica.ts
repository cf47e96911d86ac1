/** A read replica of the database; it may lag behind the primary. */
export interface ReadReplica {
  /** Identifies the replica, also in the log. Contains no secrets. */
  readonly name: string;
}
