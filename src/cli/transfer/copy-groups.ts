import type { UserGroup, UserGroupFilter, UserGroupsClient, UserGroupUpsert } from "@user-groups/client";
import { printable } from "@user-groups/site-config/check-format";
import type { ProcessEnvironment } from "../../config/config.js";
import { DomainError, domainErrorOr } from "../../domain/shared/errors.js";
import { isBlank, isObject } from "../../domain/shared/json.js";
import { markInexactNumbers, parseJsonText } from "../../domain/shared/json-text.js";
import { parseJsonValue } from "../../domain/shared/json-value.js";
import { UsageError } from "../../domain/shared/operator-error.js";
import { parsePropertiesFilter } from "../../domain/user-groups/properties.js";
import { withClient } from "../shared/client.js";
import { differencesOf, formatChange } from "../shared/differences.js";
import { EXIT_INTERRUPTED, interruptible } from "../shared/interruption.js";
import { formatTable, type Output } from "../shared/output.js";
import { ProgressLine, type Terminal } from "../shared/progress.js";

export interface CopyOptions {
  readonly fromUrl?: string;
  readonly toUrl?: string;
  /** A `UserGroupFilter` as JSON. */
  readonly filter?: string;
  readonly all: boolean;
  readonly dryRun: boolean;
}

export const COPY_KEYS = { from: "USER_GROUPS_FROM_API_KEY", to: "USER_GROUPS_TO_API_KEY" } as const;

/** Groups per request: with the largest properties and mappings, more would cost more than a query may. */
const MAX_BATCH = 15;
/** A request may have 1 MiB. */
const MAX_BATCH_BYTES = 700_000;
/** Exit code of a copy that refused some groups. */
const EXIT_SOME_REFUSED = 1;

type Counts = Record<"created" | "updated" | "unchanged" | "refused", number>;

/**
 * Copies the groups of one environment to another, which issues tokens of its own. Equal groups are not written.
 * @returns the exit code
 * @throws OperatorError
 */
export async function copyGroups(
  environment: ProcessEnvironment,
  { fromUrl, toUrl, dryRun, ...selection }: CopyOptions,
  { terminal, output }: { readonly terminal: Terminal; readonly output: Output },
): Promise<number> {
  const filter = parseFilter(selection);
  const from = { url: fromUrl ?? environment["USER_GROUPS_URL"], urlName: "USER_GROUPS_URL or --from-url" };
  const to = { url: toUrl ?? environment["USER_GROUPS_URL"], urlName: "USER_GROUPS_URL or --to-url" };
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };
  const line = new ProgressLine(terminal);
  const copy = (source: UserGroupsClient, target: UserGroupsClient) =>
    interruptible(async (signal) => {
      const copier = new GroupCopier(target, counts, dryRun, (text, isRefusal) => {
        line.clear();
        if (isRefusal) terminal.write(text);
        else if (!output.isJson) process.stdout.write(text);
      });
      for await (const batch of batchesOf(source.userGroups.list({ filter, pageSize: MAX_BATCH }))) {
        await copier.copy(batch);
        line.update(
          Object.values(counts).reduce((sum, count) => sum + count, 0),
          "groups",
        );
        if (signal.aborted) return true;
      }
      return false;
    });
  const isInterrupted = await withClient(
    environment,
    { ...from, keyName: COPY_KEYS.from, fetch: fetchExactly },
    (source) =>
      withClient(environment, { ...to, keyName: COPY_KEYS.to }, (target) =>
        copy(source, target).finally(() => line.clear()),
      ),
  );
  const { created, updated, unchanged, refused } = counts;
  const row = [created, updated, unchanged, refused].map(String);
  const notes = [
    ...(dryRun ? ["Dry run: nothing was changed.\n"] : []),
    ...(isInterrupted ? ["Interrupted. Run the same command again to continue.\n"] : []),
  ];
  await output.print(
    { dryRun, interrupted: isInterrupted, ...counts },
    formatTable([["CREATED", "UPDATED", "UNCHANGED", "REFUSED"], row]) + notes.join(""),
  );
  if (isInterrupted) return EXIT_INTERRUPTED;
  return refused > 0 ? EXIT_SOME_REFUSED : 0;
}

/** Fetches a reply in which numbers that a 64-bit float does not keep are Infinity, so that they are refused. */
async function fetchExactly(...request: Parameters<typeof globalThis.fetch>): Promise<Response> {
  const reply = await globalThis.fetch(...request);
  return new Response(markInexactNumbers(await reply.text()), reply);
}

/** Returns the filter; undefined for all groups. @throws UsageError for none, and for conditions that the service would ignore */
function parseFilter({ filter, all }: Pick<CopyOptions, "filter" | "all">): UserGroupFilter | undefined {
  if ((filter === undefined) !== all)
    throw new UsageError("Choose groups with --filter, or all of them with --all, but not both.");
  if (filter === undefined) return undefined;
  const conditions = domainErrorOr(() =>
    parseJsonValue(parseJsonText(filter, "The filter"), [], { storable: false }),
  );
  if (conditions instanceof DomainError) throw new UsageError(`--filter: ${conditions.message}`);
  if (!isObject(conditions) || !isCondition(conditions))
    throw new UsageError(
      '--filter must be a JSON object with conditions, of which none is null, blank or empty, such as \'{"providedIdStartsWith":"eu-"}\'.',
    );
  return JSON.parse(filter);
}

/** Returns whether a filter narrows, and each part of it: the service ignores conditions without a value. */
function isCondition(value: unknown): boolean {
  if (value === null || isBlank(value)) return false;
  return (
    !isObject(value) ||
    Object.entries(value).every(([name, member]) =>
      name === "properties" ? isPropertiesCondition(member) : isCondition(member),
    )
  );
}

/** The same for properties, which may have null in them, or their text. */
function isPropertiesCondition(properties: unknown): boolean {
  const text = domainErrorOr(() => parsePropertiesFilter(properties, ["properties"]));
  return text !== null && text !== "{}" && !isBlank(properties);
}

async function* batchesOf(groups: AsyncIterable<UserGroup>): AsyncGenerator<readonly UserGroup[]> {
  let batch: UserGroup[] = [];
  let batchBytes = 0;
  for await (const group of groups) {
    const bytes = Buffer.byteLength(JSON.stringify(group));
    if (batch.length === MAX_BATCH || (batch.length > 0 && batchBytes + bytes > MAX_BATCH_BYTES)) {
      yield batch;
      batch = [];
      batchBytes = 0;
    }
    batch.push(group);
    batchBytes += bytes;
  }
  if (batch.length > 0) yield batch;
}

/** Writes groups to the target. */
class GroupCopier {
  /** Whether the target has the data sources that groups map to. */
  readonly #dataSources = new Map<string, boolean>();

  constructor(
    private readonly target: UserGroupsClient,
    private readonly counts: Counts,
    private readonly isDryRun: boolean,
    private readonly print: (text: string, isRefusal: boolean) => void,
  ) {}

  async copy(groups: readonly UserGroup[]): Promise<void> {
    await this.#findDataSources(groups);
    const providedIds = groups.map(({ providedId }) => providedId);
    const present = new Map<string, UserGroupUpsert>();
    for await (const group of this.target.userGroups.list({ filter: { providedIds }, pageSize: MAX_BATCH }))
      present.set(group.providedId, toUpsert(group));
    const changed: ReturnType<typeof toUpsert>[] = [];
    for (const group of groups.map(toUpsert)) {
      const refusal = this.#refusalOf(group);
      const former = present.get(group.providedId);
      const differences = differencesOf(former ?? {}, group);
      const action = former ? "update" : "create";
      if (refusal !== null) this.#refuse(group, refusal);
      else if (differences.length === 0) this.counts.unchanged += 1;
      else {
        changed.push(group);
        if (this.isDryRun)
          this.print(formatChange({ action, noun: "user group", key: group.providedId, differences }), false);
      }
    }
    const written =
      this.isDryRun || changed.length === 0 ? [] : await this.target.userGroups.upsertEach(changed);
    for (const [index, group] of changed.entries()) {
      const result = written[index];
      if (result?.ok === false) this.#refuse(group, result.error.message);
      else this.counts[present.has(group.providedId) ? "updated" : "created"] += 1;
    }
  }

  /** Returns why a group cannot be copied, or null. The service could take a missing external ID for an internal one. */
  #refusalOf({ properties, mapping }: UserGroupUpsert): string | null {
    const missing = Object.values(mapping ?? {}).filter((id) => this.#dataSources.get(id) !== true);
    if (missing.length > 0)
      return `The target has no data source ${missing.map((id) => JSON.stringify(id)).join(", ")}.`;
    const checked = domainErrorOr(() => parseJsonValue(properties, ["properties"], { storable: false }));
    return checked instanceof DomainError ? `${checked.field?.join(".")} ${checked.message}.` : null;
  }

  async #findDataSources(groups: readonly UserGroup[]): Promise<void> {
    const named = groups.flatMap(({ mapping }) => mapping.map(({ dataSource }) => dataSource.providedId));
    const unknown = [...new Set(named)].filter((id) => !this.#dataSources.has(id));
    for (const id of unknown) this.#dataSources.set(id, false);
    for (let start = 0; start < unknown.length; start += 250) {
      const filter = { providedIds: unknown.slice(start, start + 250) };
      for await (const { providedId } of this.target.dataSources.list({ filter, pageSize: 250 }))
        this.#dataSources.set(providedId, true);
    }
  }

  #refuse({ providedId }: UserGroupUpsert, reason: string): void {
    this.counts.refused += 1;
    this.print(`${printable(`${JSON.stringify(providedId)}: ${reason}`)}\n`, true);
  }
}

function toUpsert({ providedId, name, properties, mapping }: UserGroup) {
  const entries = mapping.map(({ schemaId, dataSource }) => [schemaId, dataSource.providedId] as const);
  return { providedId, name, properties, mapping: Object.fromEntries(entries) };
}
