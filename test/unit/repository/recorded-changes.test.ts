import { expect, test } from "vitest";
import { listFiles, readSource } from "../../support/repository/source-files.js";

const WRITE =
  /(?:INSERT INTO|UPDATE|DELETE FROM) (?:user_group|data_source|api_key|site_config|site_config_revision|webhook_endpoint)\b/g;
const RECORDS = /\b(?:recorded|recordedChange|recordedGroups)\(/g;

/** Statements that change these tables and have no audit entry of their own. */
const UNRECORDED: Readonly<Record<string, number>> = {
  // The time of the last use.
  "accounts/api-key-queries.ts": 1,
  // The row before its first revision, and the revision beside its site.
  "site-configs/writes.ts": 2,
  // Encryption under another key.
  "user-groups/token-reencryption-queries.ts": 2,
  // The audit log is deleted with its account.
  "transfer/account-deletion-queries.ts": 1,
  // Successful deliveries.
  "webhooks/settlement.ts": 1,
};

test("every statement that makes a change records it", () => {
  const paths = listFiles("src/persistence").filter((path) => !path.endsWith("/audit-recording.ts"));
  const unrecorded = paths.flatMap((path) => {
    const { text } = readSource(path);
    const records = text.match(RECORDS)?.length ?? 0;
    // A definition contains its own name and a call.
    const definitions = text.match(/function recordedGroups\b/g);
    const missing = (text.match(WRITE)?.length ?? 0) - records + (definitions?.length ?? 0) * 2;
    return missing > 0 ? [[path.replace("src/persistence/", ""), missing]] : [];
  });
  expect(Object.fromEntries(unrecorded)).toEqual(UNRECORDED);
});
