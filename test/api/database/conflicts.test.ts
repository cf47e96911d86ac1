import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Statement } from "../../../src/persistence/shared/statement.js";
import { startService } from "../../support/service/test-service.js";

const service = await startService();
beforeAll(() =>
  service.query(`CREATE TABLE written (attempt integer); CREATE SEQUENCE attempts;
    GRANT ALL ON TABLE written TO PUBLIC; GRANT ALL ON SEQUENCE attempts TO PUBLIC;
    CREATE FUNCTION write_after(conflicts integer, code text) RETURNS integer LANGUAGE plpgsql AS $$
      DECLARE number integer := nextval('attempts');
      BEGIN
        INSERT INTO written VALUES (number);
        IF number <= conflicts THEN RAISE EXCEPTION 'conflict' USING ERRCODE = code; END IF;
        RETURN number;
      END $$`),
);
beforeEach(() => service.query("TRUNCATE written; ALTER SEQUENCE attempts RESTART"));

const write: Statement = { access: "write", text: "SELECT write_after($1, $2) AS attempt" };
const attempts = async () => (await service.query("SELECT last_value::integer AS n FROM attempts"))[0].n;
const written = () => service.query("SELECT attempt FROM written");

describe.each([
  ["a serialization failure", "40001"],
  ["a deadlock", "40P01"],
  ["a moved shard of Citus", "CIINF"],
])("after %s", (_, code) => {
  test("a statement is run again, once", async () => {
    expect(await service.database.of("operator").run(write, [1, code])).toEqual([{ attempt: 2 }]);
    expect(await written()).toEqual([{ attempt: 2 }]);
  });

  test("a statement that conflicts again is unavailable", async () => {
    const running = service.database.of("operator").run(write, [2, code]);
    await expect(running).rejects.toMatchObject({ code: "unavailable", retryAfter: 1 });
    expect([await attempts(), await written()]).toEqual([2, []]);
  });

  test("a transaction is unavailable: its caller decides about a retry", async () => {
    const running = service.database.transaction("operator", (open) => open.run(write, [1, code]));
    await expect(running).rejects.toMatchObject({ code: "unavailable", retryAfter: 1 });
    expect([await attempts(), await written()]).toEqual([1, []]);
  });
});
