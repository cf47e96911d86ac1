import { escapeLiteral } from "pg";
import type { Actor } from "../domain/audit-entry.js";
import type { Environment } from "../domain/environment.js";

/**
 * Which rows a statement may touch; row level security hides all others (decision 32). A tenant's: those of an account in
 * one environment; without one, the account, its keys and its data sources. Of an account that only its name is known of: itself. The operator's: all accounts, API
 * keys and webhooks that are to be sent, but no other data of tenants.
 */
export type RowScope =
  | { readonly accountId: number; readonly environment?: Environment; readonly actor?: Actor }
  | { readonly accountName: string }
  | "operator";

/** The values of the settings, in the order of `SET_SCOPE`. */
export type ScopeSettings = readonly [
  accountId: string,
  environment: string,
  accountName: string,
  operator: string,
  actor: string,
];

/** Sets the scope for the rest of the transaction. */
export const SET_SCOPE = {
  name: "set_scope",
  text: `SELECT set_config('app.account_id', $1, true), set_config('app.environment', $2, true),
    set_config('app.account_name', $3, true), set_config('app.operator', $4, true),
    set_config('app.actor', $5, true)`,
};

export function settingsOf(scope: RowScope): ScopeSettings {
  if (scope === "operator") return ["", "", "", "on", ""];
  // First: whoever calls has both.
  if (!("accountId" in scope)) return ["", "", scope.accountName, "", ""];
  const { accountId, environment = "", actor } = scope;
  return [String(accountId), environment, "", "", actor ? JSON.stringify(actor) : ""];
}

/** `SET_SCOPE` with its values, as text that may stand beside other statements. */
export function scopeStatement(scope: RowScope): string {
  let index = 0;
  const settings = settingsOf(scope);
  return SET_SCOPE.text.replace(/\$\d/g, () => escapeLiteral(settings[index++] ?? ""));
}
