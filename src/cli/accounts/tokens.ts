import type { ProcessEnvironment } from "../../config/config.js";
import { TokenReencryption } from "../../services/transfer/token-reencryption.js";
import type { Output } from "../shared/output.js";
import { withStorage } from "../shared/storage.js";

/** Re-encrypts all tokens with the first encryption key and prints their number. */
export async function reencryptTokens(environment: ProcessEnvironment, output: Output): Promise<void> {
  // The application role is not allowed to change an account's key.
  await withStorage(environment, { migrate: true, role: "owner" }, async ({ database, vault }) => {
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
