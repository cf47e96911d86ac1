import { createHmac } from "node:crypto";
import type { TenantKey } from "../../domain/accounts/caller.js";
import type { TokenBinding, TokenVault } from "../../domain/accounts/token-vault.js";
import type { StoredSecret } from "../../persistence/session-templates/templates.js";

/** Encrypts a template's secret under the account's key, bound to the environment and the secret's hash. */
export function storeTemplateSecret(
  vault: TokenVault,
  tenant: TenantKey & { readonly tokenKeyId: string },
  secret: Buffer,
): StoredSecret {
  const { tokenKeyId } = tenant;
  const secretLookup = vault.lookup(hashedText(secret), tokenKeyId);
  const binding = bindingOf(tenant, secretLookup);
  const { keyId, ciphertext } = vault.encrypt(secret.toString("base64"), binding, tokenKeyId);
  return { secretKeyId: keyId, secretCiphertext: ciphertext, secretLookup };
}

/** Decrypts a template's secret. @returns null if it has none @throws Error if it cannot be decrypted */
export function readTemplateSecret(
  vault: TokenVault,
  tenant: TenantKey,
  { secretKeyId: keyId, secretCiphertext: ciphertext, secretLookup }: StoredSecret,
): Buffer | null {
  if (keyId === null || ciphertext === null || secretLookup === null) return null;
  return Buffer.from(vault.decrypt({ keyId, ciphertext }, bindingOf(tenant, secretLookup)), "base64");
}

/** Returns the hashes of a secret, one for each configured key. */
export function secretLookups(vault: TokenVault, secret: Buffer): readonly Buffer[] {
  return vault.lookups(hashedText(secret));
}

/** Differs from any token, whose hashes are made with the same key, and is the same for secrets that sign the same, as with zeros at the end. */
function hashedText(secret: Buffer): string {
  return `session template ${createHmac("sha256", secret).digest("base64")}`;
}

function bindingOf({ accountId, environment }: TenantKey, lookup: Buffer): TokenBinding {
  return { accountId, id: `${environment}/${lookup.toString("hex")}`, kind: "sessionTemplate" };
}
