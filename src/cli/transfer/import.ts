import { randomUUID } from "node:crypto";
import { type ProcessEnvironment, readConfig } from "../../config/config.js";
import { UsageError } from "../../domain/shared/operator-error.js";
import { findAccountOrigin } from "../../persistence/accounts/account-queries.js";
import { NotificationChannel } from "../../persistence/database/notification-channel.js";
import { DataSourceImport } from "../../services/transfer/data-source-import.js";
import { GroupImport } from "../../services/transfer/group-import.js";
import { MappingImport } from "../../services/transfer/mapping-import.js";
import { ChangeFeed } from "../../services/user-groups/change-feed.js";
import { type AccountChoice, type AccountStorage, withAccount } from "../shared/account.js";
import type { Output } from "../shared/output.js";
import { ProgressLine, type Terminal } from "../shared/progress.js";
import { EXIT_INTERRUPTED, interruptible } from "../shared/run-command.js";
import { formatTable } from "../shared/table.js";
import { Checkpoint, type Progress } from "./files/checkpoint.js";
import { FILE_KINDS, FILE_SHAPES, type FileKind } from "./files/import-records.js";
import { type ImportObserver, type ImportResult, runImport } from "./files/import-run.js";
import { recordsOf } from "./files/import-stage.js";
import { type FileFormat, openSourceFile, type SourceFile } from "./files/source-file.js";
import { ImportReport } from "./import-report.js";

/** Display names of the kinds of files. */
export const KIND_NAMES: Readonly<Record<FileKind, string>> = {
  dataSources: "data sources",
  groups: "groups",
  mappings: "mappings",
};

export interface ImportChoices extends AccountChoice, Partial<Record<FileKind, string>> {
  readonly format?: FileFormat;
  readonly dryRun: boolean;
  readonly replaceTokens: boolean;
  readonly checkpoint?: string;
  readonly report?: string;
  readonly author: string;
}

/** Exit code of an import that rejected some lines. */
const EXIT_SOME_REFUSED = 1;

/** The input and output streams of a command. */
export interface CommandStreams {
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: Output;
  /** Receives progress and messages. */
  readonly terminal: Terminal;
}

/**
 * Imports data sources, groups and mappings, and prints a summary.
 * @returns the exit code
 * @throws OperatorError if the files could not be read completely
 */
export async function importFiles(
  settings: ProcessEnvironment,
  choices: ImportChoices,
  streams: CommandStreams,
): Promise<number> {
  const files = await openFiles(choices, streams.input);
  const id = randomUUID();
  const actor = { name: choices.author, requestId: `import ${id}` };
  const result = await withAccount(settings, choices, actor, (storage) =>
    runWithStorage(storage, files, choices, {
      connectTimeoutMs: readConfig(settings).databaseConnectTimeoutMs,
      terminal: streams.terminal,
    }),
  );
  await streams.output.print(summary(id, choices, result), summaryAsText(id, choices, result));
  if (result.failure) throw result.failure;
  if (result.interrupted) return EXIT_INTERRUPTED;
  return [...result.metricsByKind.values()].some(({ refused }) => refused > 0) ? EXIT_SOME_REFUSED : 0;
}

type Files = Partial<Record<FileKind, SourceFile>>;

async function openFiles(choices: ImportChoices, input: AsyncIterable<Uint8Array>): Promise<Files> {
  const paths = FILE_KINDS.flatMap((kind) => (choices[kind] === undefined ? [] : [choices[kind]]));
  if (paths.length === 0)
    throw new UsageError("No file to import. Set --data-sources, --groups or --mappings.");
  if (paths.filter((path) => path === "-").length > 1) {
    throw new UsageError("Only one of the files can be standard input.");
  }
  const files: Files = {};
  for (const kind of FILE_KINDS) {
    const path = choices[kind];
    if (path === undefined) continue;
    files[kind] = await openSourceFile(path, choices.format, FILE_SHAPES[kind], input);
  }
  if (choices.checkpoint !== undefined && Object.values(files).some(({ version }) => version === null)) {
    throw new UsageError("Standard input cannot be resumed. Omit --checkpoint, or import a file.");
  }
  return files;
}

async function runWithStorage(
  { database, vault, listenTarget, writer }: AccountStorage,
  files: Files,
  choices: ImportChoices,
  { connectTimeoutMs, terminal }: { readonly connectTimeoutMs: number; readonly terminal: Terminal },
): Promise<ImportResult> {
  const { dryRun, replaceTokens, environment } = choices;
  const changes = new ChangeFeed(
    new NotificationChannel(database, { target: listenTarget, connectTimeoutMs }),
  );
  const versions = FILE_KINDS.map((kind) => files[kind]?.version ?? null);
  const origin = await findAccountOrigin(database.of(writer), writer.accountId);
  const identity = JSON.stringify([origin, environment, replaceTokens, ...versions]);
  const checkpoint = await Checkpoint.open(dryRun ? null : (choices.checkpoint ?? null), identity);
  const isResumed = FILE_KINDS.some((kind) => checkpoint.progressOf(kind).position.offset > 0);
  let line: ProgressLine | null = null;
  const print = (text: string) => {
    line?.clear();
    terminal.write(`${text}\n`);
  };
  changes.reportUnpublished((_error, lost) => {
    if (lost > 0) print(`${lost} changes were imported, but subscribers could not be notified of them.`);
  });
  const report = await ImportReport.open(choices.report ?? null, isResumed, print);
  const observer: ImportObserver = {
    onFile(kind, file, from) {
      if (from.position.offset > 0) {
        terminal.write(`${file.name}: resuming after line ${from.position.lines}\n`);
      }
      line?.clear();
      line = new ProgressLine(terminal, KIND_NAMES[kind], taskProgressOf(file, from));
    },
    onProgress(kind, progress) {
      const file = files[kind];
      if (file) line?.update(taskProgressOf(file, progress));
    },
    onRefusal: (_, file, number, refusal) => report.add(file.name, number, refusal),
  };
  try {
    const importers = {
      dataSources: new DataSourceImport(database),
      groups: new GroupImport({ db: database, vault, changes }, print),
      mappings: new MappingImport(database, changes),
    };
    const options = { dryRun, replaceTokens };
    const run = { importers, writer, files, options, checkpoint, observer };
    return await interruptible(async (signal) => {
      const result = await runImport({ ...run, signal });
      if (!result.failure && !result.interrupted) await checkpoint.remove();
      const reportFailure = await report.close();
      return { ...result, failure: result.failure ?? reportFailure };
    });
  } finally {
    clearLine(line);
    await changes.close();
  }
}

/** A function, because TypeScript does not see that callbacks assign the variable. */
function clearLine(line: ProgressLine | null): void {
  line?.clear();
}

function taskProgressOf({ bytes }: SourceFile, { position, metrics }: Progress) {
  const fraction = bytes === null ? null : Math.min(1, bytes === 0 ? 1 : position.offset / bytes);
  return { records: recordsOf(metrics), fraction };
}

function summaryAsText(
  id: string,
  { dryRun }: ImportChoices,
  { metricsByKind, interrupted }: ImportResult,
): string {
  const rows = [...metricsByKind].map(([kind, metrics]) => [
    KIND_NAMES[kind],
    ...[recordsOf(metrics), metrics.created, metrics.updated, metrics.unchanged, metrics.refused].map(String),
  ]);
  const head = ["", "RECORDS", "CREATED", "UPDATED", "UNCHANGED", "REFUSED"];
  const notes = [
    ...(dryRun ? ["Dry run: nothing was changed."] : [`Request ID in the audit log: import ${id}`]),
    ...(interrupted ? ["Interrupted. Run the same command again to continue."] : []),
  ];
  return `${formatTable([head, ...rows])}${notes.map((note) => `${note}\n`).join("")}`;
}

function summary(id: string, { dryRun }: ImportChoices, result: ImportResult): object {
  const { metricsByKind, interrupted, failure } = result;
  const metrics = Object.fromEntries(metricsByKind);
  return { import: id, dryRun, interrupted, failure: failure?.message ?? null, ...metrics };
}
