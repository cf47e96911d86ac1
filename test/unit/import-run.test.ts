import { expect, test } from "vitest";
import { Checkpoint } from "../../src/cli/transfer/files/checkpoint.js";
import { runImport } from "../../src/cli/transfer/files/import-run.js";
import { DomainError } from "../../src/domain/shared/errors.js";
import { OperatorError } from "../../src/domain/shared/operator-error.js";

test("reports what was imported when the database connection is lost", async () => {
  const stop = new AbortController();
  let batches = 0;
  const importer = {
    async run(_: unknown, items: readonly object[]) {
      batches += 1;
      if (batches === 1) return items.map(() => "created" as const);
      // Otherwise it would be retried for some seconds.
      stop.abort();
      throw new DomainError("unavailable", "Out of reach.");
    },
  };
  const groups = {
    name: "groups.jsonl",
    bytes: null,
    version: null,
    async *records() {
      for (let line = 1; line <= 1001; line += 1) {
        yield { line, lastLine: line, end: line, content: { provided_id: `${line}`, name: "Group" } };
      }
    },
  };
  const result = await runImport({
    importers: { dataSources: importer, groups: importer, mappings: importer },
    writer: {
      accountId: 1,
      accountName: "Acme",
      environment: "Customer",
      keyId: 0,
      actor: { name: "cli", requestId: null, keyId: null },
      tokenKeyId: "",
      scope: "admin",
    },
    files: { groups },
    options: { dryRun: false, replaceTokens: false },
    checkpoint: await Checkpoint.open(null, ""),
    signal: stop.signal,
    observer: { onFile: () => undefined, onProgress: () => undefined, onRefusal: () => undefined },
  });
  expect(result.failure).toBeInstanceOf(OperatorError);
  expect(result.failure?.message).toBe("Out of reach.");
  expect(result.metricsByKind.get("groups")).toMatchObject({ created: 1000 });
});
