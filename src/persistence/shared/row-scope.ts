import { escapeLiteral } from "pg";
import type { Actor } from "../../domain/accounts/actor.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { ReadReplica } from "../../domain/requests/read-replica.js";
import type { Transaction } from "../../domain/requests/transaction.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import type { Statement } from "./statement.js";

/**
 * Which rows a statement may touch; row level security hides all others (decision 32). A tenant's: those of an account in
 * one environment; without an environment, the account itself. Of an account that only its name is known of:
 * itself. The operator's: all accounts, API keys and webhooks that are to be sent, but no other data of tenants.
 * A tenant may have the transaction that its statements are a part of, the replica that they may read from, and a deadline after which
 * none of them is sent.
 */
export type RowScope =
  | {
      readonly accountId: number;
      readonly environment?: Environment;
      readonly actor?: Actor;
      readonly transaction?: Transaction;
      readonly replica?: ReadReplica;
      readonly deadline?: Deadline | undefined;
    }
  | {
      readonly accountName: string;
      readonly replica?: ReadReplica;
      readonly deadline?: Deadline | undefined;
    }
  | "operator";

/** The values of the settings, in the order of the placeholders. */
export type ScopeSettings = readonly [
  accountId: string,
  environment: string,
  accountName: string,
  operator: string,
  actor: string,
];

/**
 * Whether PostgreSQL plans a statement anew for its values each time it runs. What a connection has prepared looks rows up by their keys:
 * PostgreSQL would compare plans by the number of keys, and plan such a statement each time, which takes longer than to run it.
 */
export type PlanMode = "auto" | "force_generic_plan" | "force_custom_plan";

/** @param isPrepared whether the connection keeps the statement */
export function planModeOf({ plan }: Statement, isPrepared: boolean): PlanMode {
  if (!isPrepared) return "auto";
  return plan === "forValues" ? "force_custom_plan" : "force_generic_plan";
}

/** What sets the scope for the rest of a transaction, with a placeholder for each of the settings, and one for the mode of planning. */
export interface ScopeSetter {
  /** Under which connections keep it; null where they keep no statements. */
  readonly name: string | null;
  readonly text: string;
}

/** How long the parts of a transaction may take, in milliseconds; 0 for no limit. */
export interface Timeouts {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
}

/** @param pooled the time-outs where a connection cannot have any, since a pooler hands it from one client to another */
export function createScopeSetter(pooled: Timeouts | null): ScopeSetter {
  const names = [
    "app.account_id",
    "app.environment",
    "app.account_name",
    "app.operator",
    "app.actor",
    "plan_cache_mode",
  ];
  const settings = [
    ...names.map((name, index) => `set_config('${name}', $${index + 1}, true)`),
    ...(pooled
      ? [
          `set_config('statement_timeout', '${pooled.statementTimeoutMs}', true)`,
          `set_config('lock_timeout', '${pooled.lockTimeoutMs}', true)`,
          `set_config('idle_in_transaction_session_timeout', '${pooled.idleInTransactionTimeoutMs}', true)`,
        ]
      : []),
  ];
  // One value, which takes the driver less time to read than each of them.
  return { name: pooled ? null : "set_scope", text: `SELECT concat(${settings.join(", ")})` };
}

export function settingsOf(scope: RowScope): ScopeSettings {
  if (scope === "operator") return ["", "", "", "on", ""];
  // First: whoever calls has both.
  if (!("accountId" in scope)) return ["", "", scope.accountName, "", ""];
  const { accountId, environment = "", actor } = scope;
  return [String(accountId), environment, "", "", actor ? JSON.stringify(actor) : ""];
}

/** The setter with its values, as text that may stand beside other statements. */
export function scopeStatement({ text }: ScopeSetter, scope: RowScope): string {
  const settings = [...settingsOf(scope), "auto" satisfies PlanMode];
  return text.replace(/\$(\d)/g, (_, number: string) => escapeLiteral(settings[Number(number) - 1] ?? ""));
}

/** Returns until when work within the scope may begin. */
export function deadlineOf(scope: RowScope): Deadline | undefined {
  return scope === "operator" ? undefined : scope.deadline;
}
