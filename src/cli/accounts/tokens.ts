import type { ProcessEnvironment } from "../../config/config.js";
import { TokenReencryption } from "../../services/transfer/token-reencryption.js";
import type { Output } from "../shared/output.js";
import { withStorage } from "../shared/storage.js";
import { formatTable } from "../shared/table.js";

/** Re-encrypts all tokens with the first encryption key and prints their number. */
export async function reencryptTokens(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const reencryption = new TokenReencryption(database, vault);
    const total = await reencryption.run((count) =>
      process.stderr.write(`re-encrypted ${count} tokens so far\n`),
    );
    await output.print(
      { tokens: total, key_id: vault.primaryKeyId },
      `re-encrypted ${total} tokens with key ${vault.primaryKeyId}; the other keys can be removed from ENCRYPTION_KEYS\n`,
    );
  });
}

/** Prints the number of rows that each key encrypts. */
export async function countByKey(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const counts = [...(await new TokenReencryption(database, vault).countByKey())];
    const views = counts.map(([id, rows]) => ({ key_id: id, rows, is_first: id === vault.primaryKeyId }));
    const lines = views.map(({ key_id: id, rows, is_first: isFirst }) => [
      id,
      `${rows}`,
      isFirst ? "first" : "remove after `token reencrypt`",
    ]);
    await output.print(views, formatTable([["KEY ID", "ROWS", "KEY"], ...lines]));
  });
}
