import { escapeLiteral } from "pg";
import type { Actor, Transaction } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import type { Statement } from "./statement.js";

/**
 * The rows that a statement may access; row-level security hides all others (decision 32). A tenant scope: the rows of an account in one
 * environment, or without an environment the account row. An account name: that account row. The operator: all accounts, API keys and
 * pending webhooks, but no other tenant data. A scope may carry its open transaction, and the deadline after
 * which no statement is sent.
 */
export type RowScope =
  | {
      readonly accountId: number;
      readonly environment?: Environment;
      readonly actor?: Actor;
      readonly transaction?: Transaction;
      readonly deadline?: Deadline | undefined;
    }
  | {
      readonly accountName: string;
      readonly deadline?: Deadline | undefined;
    }
  | "operator";

/**
 * Returns PostgreSQL's `plan_cache_mode` for a statement. Named statements look rows up by arrays of keys: in `auto` mode, the default, the
 * estimates depend on the number of keys, so that PostgreSQL would plan them on every run, which takes longer than running them.
 */
export function planModeOf({ name, plan }: Statement): "auto" | "force_generic_plan" | "force_custom_plan" {
  if (name === undefined) return "auto";
  return plan === "forValues" ? "force_custom_plan" : "force_generic_plan";
}

/**
 * Forces index scans in index order for the rest of the transaction. The planner assumes that row-level security hides nearly all rows and,
 * above all without statistics, would otherwise read and sort all of the tenant's rows.
 */
// Not set_config(), which Citus does not send to its workers. Before PostgreSQL 18, a plan with a disabled node costs so much that it would
// be compiled, which takes longer than running it.
export const IN_INDEX_ORDER =
  "SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off";

/**
 * Returns the statements that begin a transaction within a row scope. The settings end with the transaction.
 * @param access `read` begins a read-only transaction
 */
export function beginWithin(scope: RowScope, access: Statement["access"]): string {
  const begin = access === "read" ? "BEGIN READ ONLY" : "BEGIN";
  const operator = `${begin}; SET LOCAL app.operator = 'on'`;
  if (scope === "operator") return access === "read" ? operator : `${operator}; ${setActor({})}`;
  // Check accountId first: a Caller also has accountName.
  if (!("accountId" in scope))
    return `${begin}; SET LOCAL app.account_name = ${escapeLiteral(scope.accountName)}`;
  const { accountId, environment, actor } = scope;
  const account = `${begin}; SET LOCAL app.account_id = '${Number(accountId)}'`;
  const tenant = environment
    ? `${account}; SET LOCAL app.environment = ${escapeLiteral(environment)}`
    : account;
  return access === "read" ? tenant : `${tenant}; ${setActor(actor ?? {})}`;
}

/** The author that the audit log records; without one, the role. Always set: it turns off the triggers of the former release, until they are dropped. */
function setActor(actor: Actor | Record<string, never>): string {
  return `SET LOCAL app.audit_actor = ${escapeLiteral(JSON.stringify(actor))}`;
}

/** Returns the account that a statement is run for; undefined if there is none. */
export function accountOf(scope: RowScope | null): number | undefined {
  return scope !== null && scope !== "operator" && "accountId" in scope ? scope.accountId : undefined;
}

export function deadlineOf(scope: RowScope): Deadline | undefined {
  return scope === "operator" ? undefined : scope.deadline;
}
