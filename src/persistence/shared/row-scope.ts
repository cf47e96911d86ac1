import { escapeLiteral } from "pg";
import type { Actor } from "../../domain/accounts/actor.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { ReadReplica } from "../../domain/requests/read-replica.js";
import type { Transaction } from "../../domain/requests/transaction.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import type { Statement } from "./statement.js";

/**
 * The rows that a statement may access; row-level security hides all others (decision 32). A tenant scope: the rows of an account in one
 * environment, or without an environment the account row. An account name: that account row. The operator: all accounts, API keys and
 * pending webhooks, but no other tenant data. A scope may carry its open transaction, the replica to read from, and the deadline after
 * which no statement is sent.
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

/** Values of the scope settings, in the order of the placeholders. */
export type ScopeSettings = readonly [
  accountId: string,
  environment: string,
  accountName: string,
  operator: string,
  actor: string,
];

/**
 * PostgreSQL's `plan_cache_mode`. Prepared statements look rows up by arrays of keys: in `auto` mode the estimates depend on the number of
 * keys, so that PostgreSQL would plan them on every run, which takes longer than running them.
 */
export type PlanMode = "auto" | "force_generic_plan" | "force_custom_plan";

/** @param isPrepared whether the statement is prepared on the connection */
export function planModeOf({ plan }: Statement, isPrepared: boolean): PlanMode {
  if (!isPrepared) return "auto";
  return plan === "forValues" ? "force_custom_plan" : "force_generic_plan";
}

/** Statement that sets the scope for the rest of a transaction. Placeholders: the scope settings, then the plan mode. */
export interface ScopeSetter {
  /** Name of the prepared statement; null behind a transaction-mode pooler. */
  readonly name: string | null;
  readonly text: string;
}

/** Timeouts of a transaction's parts; 0 disables them. */
export interface Timeouts {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
}

/** @param pooled timeouts to set per transaction, as a transaction-mode pooler keeps no session settings; null without a pooler */
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
  // Concatenated, as the driver parses one value faster than several.
  return { name: pooled ? null : "set_scope", text: `SELECT concat(${settings.join(", ")})` };
}

export function settingsOf(scope: RowScope): ScopeSettings {
  if (scope === "operator") return ["", "", "", "on", ""];
  // Check accountId first: a Caller also has accountName.
  if (!("accountId" in scope)) return ["", "", scope.accountName, "", ""];
  const { accountId, environment = "", actor } = scope;
  return [String(accountId), environment, "", "", actor ? JSON.stringify(actor) : ""];
}

/** Returns the setter's text with literal values, to be combined with other statements in one message. */
export function scopeStatement({ text }: ScopeSetter, scope: RowScope): string {
  const settings = [...settingsOf(scope), "auto" satisfies PlanMode];
  return text.replace(/\$(\d)/g, (_, number: string) => escapeLiteral(settings[Number(number) - 1] ?? ""));
}

export function deadlineOf(scope: RowScope): Deadline | undefined {
  return scope === "operator" ? undefined : scope.deadline;
}
