/** A database transaction that several calls share. */
export interface Transaction {
  /** Runs a callback after the commit; never after a rollback. */
  afterCommit(work: () => void): void;
}
