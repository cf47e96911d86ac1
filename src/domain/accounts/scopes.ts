import { DomainError } from "../shared/errors.js";
import type { Admin, Caller, Embedder, Writer } from "./caller.js";

/**
 * Checks that a caller has write access.
 * @throws DomainError `forbidden` for a key without write scope
 */
export function requireWrite(caller: Caller): Writer {
  const { scope } = caller;
  if (scope === "write" || scope === "admin") return { ...caller, scope };
  throw new DomainError(
    "forbidden",
    `${credential(caller)} is read-only. Use an API key with \`write\` scope.`,
  );
}

/**
 * Checks that a caller may manage the account's API keys.
 * @throws DomainError `forbidden` for a key without admin scope
 */
export function requireAdmin(caller: Caller): Admin {
  const { scope } = caller;
  if (scope === "admin") return { ...caller, scope };
  throw new DomainError(
    "forbidden",
    `${credential(caller)} cannot manage the account. Use an API key with \`admin\` scope.`,
  );
}

/**
 * Checks that a caller may receive a user group token or create embed sessions.
 * @param refusal first sentence of the error message
 * @throws DomainError `forbidden` for a key without embed scope
 */
export function requireEmbed(
  caller: Caller,
  refusal = "The reply contains the user group's token, which this API key cannot read.",
): Embedder {
  const { scope } = caller;
  if (scope !== "read") return { ...caller, scope };
  throw new DomainError("forbidden", `${refusal} Use an API key with \`embed\` scope.`);
}

/** Checks that a caller may create embed sessions. @throws DomainError `forbidden` for a key without embed scope */
export function requireEmbedSessions(caller: Caller): Embedder {
  return requireEmbed(caller, `${credential(caller)} cannot create embed sessions.`);
}

function credential({ person }: Caller): string {
  return person ? "Your role" : "This API key";
}
