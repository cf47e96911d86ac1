import { expect, test } from "vitest";
import { Database } from "../../../src/persistence/database/database.js";
import { startTestService } from "../../support/service/test-service.js";

test("the shared connection for lookups is closed when it is unused", async () => {
  const service = await startTestService();
  const options = { poolSize: 8, connectTimeoutMs: 5000, statementTimeoutMs: 0 };
  const database = await Database.connect({ target: service.target, ...options });
  try {
    const text = "SELECT 1 AS one";
    const lookUp = () =>
      database.of("operator").run({ name: "lookup", isLookup: true, access: "read", text }, []);
    const open =
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'user-groups' AND query = 'COMMIT'";
    await expect
      .poll(async () => {
        await lookUp();
        return (await service.query(open)).length;
      })
      .toBeGreaterThanOrEqual(2);
    await expect.poll(() => service.query(open), { interval: 500 }).toEqual([]);
    expect(await lookUp()).toEqual([{ one: 1 }]);
  } finally {
    await database.close();
    await service.close();
  }
});
