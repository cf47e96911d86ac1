import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { ReadReplicas } from "../../../src/persistence/database/read-replicas.js";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { type RestartablePostgres, startRestartablePostgres } from "./restartable-postgres.js";

/** A PostgreSQL and a hot standby fed by streaming replication. */
export interface ReplicatedPostgres {
  readonly primary: RestartablePostgres;
  readonly standby: RestartablePostgres;
  /** Pauses replay: the standby receives changes but does not show them. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Waits until the standby has replayed all changes. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const primary = await startRestartablePostgres();
  const standby = await primary.createStandby();
  await standby.start();
  return {
    primary,
    standby,
    async pause() {
      await ask(standby, "SELECT pg_wal_replay_pause()");
      await until(async () => (await ask(standby, "SELECT pg_get_wal_replay_pause_state()")) === "paused");
    },
    resume: async () => void (await ask(standby, "SELECT pg_wal_replay_resume()")),
    async catchUp() {
      const written = await ask(primary, "SELECT pg_current_wal_lsn()");
      await until(
        async () => (await ask(standby, `SELECT pg_last_wal_replay_lsn() >= '${written}'`)) === true,
      );
    },
    async close() {
      await standby.close();
      await primary.close();
    },
  };
}

/** The service's sources for reads, with a maximum lag of the standby. */
export function replicasOf(
  primary: RestartablePostgres,
  targets: RestartablePostgres["target"][],
  maxLagMs: number,
  statementTimeoutMs = 10_000,
) {
  const options = { poolSize: 4, connectTimeoutMs: 2_000, statementTimeoutMs };
  return new ReadReplicas(
    primary.target,
    targets.map((target) => ({ ...options, target })),
    maxLagMs,
  );
}

/** Runs a statement as a superuser. @returns the first value of its first row */
export async function ask({ owner }: Pick<RestartablePostgres, "owner">, text: string): Promise<unknown> {
  const client = new Client(clientOptions(owner));
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/** Polls a condition, as long as the test may take. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(20);
}
