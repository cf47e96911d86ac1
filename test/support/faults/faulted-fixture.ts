import { afterAll, beforeAll } from "vitest";
import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { createTestDatabase, type TestDatabase } from "../postgres/test-database.js";
import { createTestProcesses } from "../service/running-process.js";
import { type FaultedService, startFaultedService } from "./faulted-service.js";

/** A component between the service and its database that can fail. */
interface Between {
  /** The database, through the component. */
  readonly target: DatabaseOptions["target"];
  close(): Promise<void>;
}

export interface FaultedFixture<Through extends Between> {
  readonly service: FaultedService;
  readonly through: Through;
  /** Starts a second service. */
  start(): Promise<FaultedService>;
}

/**
 * Starts the service for a test file, with a component between it and its database.
 * @param open starts the component
 * @param settings further settings of the service
 * @returns a getter for the fixture
 */
export function useFaultedService<Through extends Between>(
  open: (database: TestDatabase) => Promise<Through>,
  settings: (database: TestDatabase) => Readonly<Record<string, string>> = () => ({}),
): () => FaultedFixture<Through> {
  const processes = createTestProcesses();
  const opened: (() => Promise<unknown>)[] = [];
  let fixture: FaultedFixture<Through> | undefined;
  beforeAll(async () => {
    const database = await createTestDatabase();
    opened.unshift(() => database.drop());
    const through = await open(database);
    opened.unshift(() => through.close());
    opened.unshift(() => processes.close());
    const start = () => startFaultedService(processes, database, through.target, settings(database));
    const service = await start();
    fixture = { service, through, start };
  });
  afterAll(async () => {
    try {
      await fixture?.service.close();
    } finally {
      for (const close of opened) await close();
    }
  });
  return () => {
    if (!fixture) throw new Error("The fixture is there once the tests run.");
    return fixture;
  };
}
