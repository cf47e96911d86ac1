import type { QueryRunner } from "typeorm";

/** Runs `work` in a transaction. */
export async function inTransaction<Result>(
  queryRunner: QueryRunner,
  work: () => Promise<Result>,
): Promise<Result> {
  await queryRunner.startTransaction();
  try {
    const result = await work();
    await queryRunner.commitTransaction();
    return result;
  } catch (error) {
    await queryRunner.rollbackTransaction();
    throw error;
  }
}

/**
 * Runs each text in a transaction of its own: a migration that waits for the lock of a table while it holds another's can cause a deadlock
 * with a request, which then fails. The migration must have `transaction = false`, and each text be repeatable.
 */
export async function runSeparately(queryRunner: QueryRunner, texts: readonly string[]): Promise<void> {
  for (const text of texts) await inTransaction(queryRunner, () => queryRunner.query(text));
}
