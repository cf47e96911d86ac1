/** What several calls may share, so that all of them count, or none does. */
export interface Transaction {
  /** Has something done once everything counts; never, where nothing does. */
  afterCommit(work: () => void): void;
}
