import type { Queryable, Statement } from "./statement.js";

// Raw SQL: INSERT … ON CONFLICT DO UPDATE … WHERE … RETURNING. A session's advisory lock would not survive a transaction-mode pooler.

const TAKE: Statement = {
  name: "background_job_take",
  access: "write",
  text: `INSERT INTO background_job AS job (name, holder, held_until)
    VALUES ($1, $2, clock_timestamp() + $3::double precision * interval '1 millisecond')
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
      WHERE job.holder = excluded.holder AND job.held_until > clock_timestamp() OR job.held_until <= clock_timestamp()
        AND coalesce(job.completed_at < clock_timestamp() - $4::double precision * interval '1 millisecond', true)
    RETURNING name`,
};

const RELEASE: Statement = {
  name: "background_job_release",
  access: "write",
  text: `UPDATE background_job SET held_until = clock_timestamp(),
      completed_at = CASE WHEN $3 THEN clock_timestamp() ELSE completed_at END
    WHERE name = $1 AND holder = $2`,
};

/** The right to run a job of which only one process may run at a time. */
export interface JobLease {
  readonly job: string;
  /** UUID of the process. */
  readonly holder: string;
}

/**
 * Takes or renews a lease.
 * @param operator has the operator scope
 * @param leaseMs time until another process may take it
 * @param dueAfterMs time since the job was last completed, before which nobody takes it
 * @returns false if another process holds it or the job is not due
 */
export async function takeLease(
  operator: Queryable,
  { job, holder }: JobLease,
  leaseMs: number,
  dueAfterMs: number,
): Promise<boolean> {
  return (await operator.run(TAKE, [job, holder, leaseMs, dueAfterMs])).length > 0;
}

/** Gives a lease back. @param isComplete whether the job was completed, so that it is due again after its interval */
export async function releaseLease(
  operator: Queryable,
  { job, holder }: JobLease,
  isComplete: boolean,
): Promise<void> {
  await operator.run(RELEASE, [job, holder, isComplete]);
}
