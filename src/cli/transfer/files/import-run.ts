import type { Writer } from "../../../domain/accounts/caller.js";
import { DomainError } from "../../../domain/shared/errors.js";
import { OperatorError } from "../../../domain/shared/operator-error.js";
import type { ImportOptions } from "../../../domain/transfer/imported-record.js";
import { type ImportOutcome, Refusal } from "../../../domain/transfer/refusal.js";
import type { DataSourceImport } from "../../../services/transfer/data-source-import.js";
import type { GroupImport } from "../../../services/transfer/group-import.js";
import type { MappingImport } from "../../../services/transfer/mapping-import.js";
import type { Checkpoint, Progress } from "./checkpoint.js";
import {
  FILE_KINDS,
  type FileKind,
  parseDataSource,
  parseGroup,
  parseMappingLine,
} from "./import-records.js";
import { type ImportStage, type Metrics, runStage } from "./import-stage.js";
import { SeenKeys } from "./seen-keys.js";
import type { SourceFile } from "./source-file.js";

/** The importer for each kind of file. */
export interface Importers {
  readonly dataSources: Pick<DataSourceImport, "run">;
  readonly groups: Pick<GroupImport, "run">;
  readonly mappings: Pick<MappingImport, "run">;
}

/** Receives the progress of an import. */
export interface ImportObserver {
  onFile(kind: FileKind, file: SourceFile, from: Progress): void;
  onProgress(kind: FileKind, progress: Progress): void;
  onRefusal(kind: FileKind, file: SourceFile, line: number, refusal: Refusal): void;
}

export interface ImportRun {
  readonly importers: Importers;
  readonly writer: Writer;
  readonly files: Readonly<Partial<Record<FileKind, SourceFile>>>;
  readonly options: Pick<ImportOptions, "dryRun" | "replaceTokens">;
  readonly checkpoint: Checkpoint;
  readonly signal: AbortSignal;
  readonly observer: ImportObserver;
}

/** The result of an import. */
export interface ImportResult {
  readonly metricsByKind: ReadonlyMap<FileKind, Metrics>;
  /** The error that stopped the import; null if there was none. */
  readonly failure: OperatorError | null;
  readonly interrupted: boolean;
}

/** Imports files in dependency order. @throws unexpected errors only; others are in the result */
export async function runImport(run: ImportRun): Promise<ImportResult> {
  const metricsByKind = new Map<FileKind, Metrics>();
  /** External IDs that would exist after the earlier files of a dry run. */
  const expectedKeys = { dataSources: new SeenKeys(), groups: new SeenKeys() };
  const options: ImportOptions = {
    ...run.options,
    expected: {
      hasDataSource: (providedId) => expectedKeys.dataSources.has(providedId),
      hasUserGroup: (providedId) => expectedKeys.groups.has(providedId),
    },
  };
  try {
    for (const kind of FILE_KINDS) {
      const file = run.files[kind];
      if (!file || run.signal.aborted) continue;
      metricsByKind.set(kind, run.checkpoint.progressOf(kind).metrics);
      await runFile(run, kind, file, { options, expectedKeys, metricsByKind });
    }
    return { metricsByKind, failure: null, interrupted: run.signal.aborted };
  } catch (error) {
    return { metricsByKind, failure: failureOf(error), interrupted: false };
  }
}

/** Returns expected errors as results, so that the summary includes the records imported before the database was lost. */
function failureOf(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  if (error instanceof DomainError) return new OperatorError(error.message, { cause: error });
  throw error;
}

/** State shared by the files of a run. */
interface RunState {
  readonly options: ImportOptions;
  readonly expectedKeys: Readonly<Record<"dataSources" | "groups", SeenKeys>>;
  readonly metricsByKind: Map<FileKind, Metrics>;
}

async function runFile(
  run: ImportRun,
  kind: FileKind,
  file: SourceFile,
  { options, expectedKeys, metricsByKind }: RunState,
): Promise<void> {
  const { writer, importers, checkpoint, observer, signal } = run;
  const from = checkpoint.progressOf(kind);
  observer.onFile(kind, file, from);
  const work = <Item>(stage: ImportStage<Item>) =>
    runStage(file.records(from.position), stage, {
      metrics: from.metrics,
      signal,
      async onBatch(position, metrics) {
        metricsByKind.set(kind, metrics);
        observer.onProgress(kind, { position, metrics });
        if (!options.dryRun) await checkpoint.save(kind, { position, metrics });
      },
      onRefusal: (line, refusal) => observer.onRefusal(kind, file, line, refusal),
    });
  switch (kind) {
    case "dataSources":
      await work({
        parse: parseDataSource,
        keysOf: ({ providedId }) => [["provided_id", idKey(providedId)]],
        async write(items) {
          const outcomes = await importers.dataSources.run(writer, items, options);
          if (options.dryRun) addExpected(expectedKeys.dataSources, items, outcomes);
          return outcomes;
        },
      });
      return;
    case "groups":
      await work({
        parse: (fields) => parseGroup(fields, writer.environment),
        keysOf: ({ providedId, token }) => [
          ["provided_id", idKey(providedId)],
          ...(token === undefined ? [] : [["token", `token ${token}`] as const]),
        ],
        async write(items) {
          const outcomes = await importers.groups.run(writer, items, options);
          if (options.dryRun) addExpected(expectedKeys.groups, items, outcomes);
          return outcomes;
        },
      });
      return;
    case "mappings":
      await work({
        parse: parseMappingLine,
        keysOf: ({ userGroupId, reference }) => [
          ["schema_id", JSON.stringify([userGroupId, reference.schemaId])],
        ],
        write: (items) => importers.mappings.run(writer, items, options),
      });
      return;
  }
}

function addExpected(
  expectedKeys: SeenKeys,
  items: readonly { readonly providedId: string }[],
  outcomes: readonly ImportOutcome[],
): void {
  for (const [index, { providedId }] of items.entries()) {
    if (!(outcomes[index] instanceof Refusal)) expectedKeys.add(providedId);
  }
}

/** Distinguishes IDs from equal tokens. */
function idKey(providedId: string): string {
  return `id ${providedId}`;
}
