import { type ProcessEnvironment, readConfig } from "../../config/config.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { purgeList } from "../../persistence/transfer/purge-list.js";
import { GroupErasure } from "../../services/transfer/group-erasure.js";
import { PurgeJob } from "../../services/transfer/purge-job.js";
import { Metrics } from "../../telemetry/metrics.js";
import { EXIT_INTERRUPTED, interruptible } from "../shared/interruption.js";
import { formatTable, type Output } from "../shared/output.js";
import { type AccountChoice, withAccount, withStorage } from "../shared/storage.js";

const DAY_MS = 86_400_000;

/** @returns the exit code */
export async function purge(
  environment: ProcessEnvironment,
  { dryRun }: { readonly dryRun: boolean },
  output: Output,
): Promise<number> {
  const { retention } = readConfig(environment);
  return withStorage(environment, { migrate: true }, ({ database, vault }) =>
    interruptible(async (signal) => {
      const job = new PurgeJob(database, purgeList(vault, retention), new Metrics());
      signal.addEventListener("abort", () => void job.stop());
      const rows = dryRun ? await job.count() : await runPurge(job);
      const lines = [...rows].map(([name, count]) => [name, String(count)]);
      const title = dryRun ? "EXPIRED" : "REMOVED";
      await output.print(Object.fromEntries(rows), formatTable([["PURGE", title], ...lines]));
      return signal.aborted ? EXIT_INTERRUPTED : 0;
    }),
  );
}

async function runPurge(job: PurgeJob): Promise<ReadonlyMap<string, number>> {
  try {
    const rows = await job.run();
    if (rows) return rows;
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    const reasons = error.errors.map((reason) => (reason instanceof Error ? reason.message : String(reason)));
    throw new OperatorError(`${error.message} ${reasons.join("; ")}`, { cause: error });
  }
  throw new OperatorError("Another process is purging. Try again later.");
}

/** Prints what was erased, and what is left. */
export async function erase(
  environment: ProcessEnvironment,
  options: AccountChoice & { readonly userGroup: string; readonly dropPending: boolean },
  output: Output,
): Promise<void> {
  const { webhookDeliveryDays, pendingWebhookDays } = readConfig(environment).retention;
  const actor = { name: "cli", requestId: null };
  await withAccount(environment, options, actor, async ({ database, vault, writer }) => {
    const erasure = new GroupErasure(database, vault);
    const { pending, ...report } = await erasure.erase(writer, options.userGroup, options.dropPending);
    const { auditEntries, deliveries, storedReplies, pseudonym } = report;
    const maxAgeMs = Math.max(webhookDeliveryDays, pendingWebhookDays) * DAY_MS;
    const until = pending.newest && new Date(pending.newest.getTime() + maxAgeMs).toISOString();
    const left = until
      ? `${pending.count} webhook deliveries that are still to be sent, until ${until} at the latest: run the command again when they are sent, or now with --drop-pending`
      : "at most replies to repeated requests that named it without finding it, for 24 hours";
    await output.print(
      { ...report, pendingDeliveries: pending.count, pendingUntil: until },
      `erased from ${auditEntries} audit entries, which now name it ${pseudonym}; deleted ${deliveries} webhook deliveries and ${storedReplies} stored replies\nleft: ${left}\n`,
    );
  });
}
