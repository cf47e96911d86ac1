import { afterAll, beforeAll } from "vitest";
import { prepareDatabase } from "../postgres/postgres-setup.js";
import { startTestService, type TestService, type TestServiceOptions } from "../service/test-service.js";
import { type CitusCluster, citusPrograms, startCitus } from "./cluster.js";
import { distribute } from "./distribute.js";

/** Roles of the database. The owner is no superuser, so row-level security is forced on it. */
export const OWNER = "ug_owner";
export const APPLICATION = "ug_application";
export const DATABASE = "user_groups";

export interface DistributedService {
  readonly cluster: CitusCluster;
  readonly service: TestService;
}

/** Creates the roles and a migrated database that is not distributed yet. */
export async function prepareCluster(cluster: CitusCluster): Promise<void> {
  for (const role of [OWNER, APPLICATION]) await cluster.onAll("postgres", `CREATE ROLE ${role} LOGIN`);
  await cluster.onAll("postgres", `CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
  await cluster.connectWorkers(DATABASE);
  await prepareDatabase({ url: cluster.coordinator.url(DATABASE, OWNER) }, APPLICATION);
}

/** Starts the service on a coordinator, as the application role. */
export async function startOn(
  { coordinator }: Pick<CitusCluster, "coordinator">,
  options: Pick<TestServiceOptions, "encryptionKey"> = {},
): Promise<TestService> {
  return startTestService({
    ...options,
    use: {
      target: { url: coordinator.url(DATABASE, APPLICATION) },
      owner: { url: coordinator.url(DATABASE) },
    },
    webhooks: { allowPrivate: true },
  });
}

/** Starts a cluster and the service for a test file, with data from before the distribution. @returns a getter */
export function useDistributedService(): () => DistributedService {
  let started: DistributedService | undefined;
  const closers: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    if (citusPrograms === undefined) return;
    const cluster = await startCitus(citusPrograms);
    closers.unshift(() => cluster.close());
    await prepareCluster(cluster);
    await distribute({ url: cluster.coordinator.url(DATABASE, OWNER) });
    const service = await startOn(cluster);
    closers.unshift(() => service.close());
    started = { cluster, service };
  });
  afterAll(async () => {
    for (const close of closers) await close();
  });
  return () => {
    if (!started) throw new Error("The service is there once the tests run.");
    return started;
  };
}
