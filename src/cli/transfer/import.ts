import { randomUUID } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { printable } from "@user-groups/site-config/check-format";
import { type ProcessEnvironment, readConfig } from "../../config/config.js";
import { DomainError } from "../../domain/shared/errors.js";
import { OperatorError, UsageError } from "../../domain/shared/operator-error.js";
import {
  catchRefusal,
  type FileRecord,
  type ImportOutcome,
  parseDataSource,
  parseGroup,
  RECORD_KINDS,
  RECORDS,
  type RecordKind,
  Refusal,
} from "../../domain/transfer/record.js";
import { NotificationChannel } from "../../persistence/database/notification-channel.js";
import { Importer } from "../../services/transfer/importer.js";
import { ChangeFeed } from "../../services/user-groups/change-feed.js";
import { MAX_UPSERTS } from "../../services/user-groups/upserts.js";
import { EXIT_INTERRUPTED, interruptible } from "../shared/interruption.js";
import { formatTable, type Output } from "../shared/output.js";
import { ProgressLine, type Terminal } from "../shared/progress.js";
import { type AccountChoice, type AccountStorage, withAccount } from "../shared/storage.js";
import {
  type FileFormat,
  MAX_RECORD_BYTES,
  openSourceFile,
  type SourceFile,
  type SourceRecord,
} from "./source-file.js";

export interface ImportChoices extends AccountChoice, Partial<Record<RecordKind, string>> {
  readonly format?: FileFormat;
  readonly dryRun: boolean;
  readonly replaceTokens: boolean;
  readonly report?: string;
  readonly author: string;
}

/** Exit code of an import that rejected some lines. */
const EXIT_SOME_REFUSED = 1;
/** Maximum rejected lines shown on stderr; the report file contains all. */
const MAX_SHOWN = 100;

/** The input and output streams of a command. */
export interface CommandStreams {
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: Output;
  /** Receives progress and messages. */
  readonly terminal: Terminal;
}

/** Number of records by outcome. */
type Counts = Record<"created" | "updated" | "unchanged" | "refused", number>;

type Files = Partial<Record<RecordKind, SourceFile>>;

interface ImportResult {
  readonly counts: Partial<Record<RecordKind, Counts>>;
  /** The error that stopped the import. */
  readonly failure: OperatorError | null;
  readonly interrupted: boolean;
}

/**
 * Imports data sources and groups, and prints a summary.
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
  const connectTimeoutMs = readConfig(settings).databaseConnectTimeoutMs;
  const result = await withAccount(settings, choices, actor, (storage) =>
    runImport(storage, files, choices, { connectTimeoutMs, terminal: streams.terminal }),
  );
  const { counts, failure, interrupted } = result;
  const summary = { import: id, dryRun: choices.dryRun, interrupted, failure: failure?.message ?? null };
  await streams.output.print({ ...summary, ...counts }, summaryText(id, choices, result));
  if (failure) throw failure;
  if (interrupted) return EXIT_INTERRUPTED;
  return Object.values(counts).some(({ refused }) => refused > 0) ? EXIT_SOME_REFUSED : 0;
}

async function openFiles(choices: ImportChoices, input: AsyncIterable<Uint8Array>): Promise<Files> {
  const paths = RECORD_KINDS.flatMap((kind) => choices[kind] ?? []);
  if (paths.length === 0) throw new UsageError("No file to import. Set --data-sources or --groups.");
  if (paths.filter((path) => path === "-").length > 1) {
    throw new UsageError("Only one of the files can be standard input.");
  }
  const files: Files = {};
  for (const kind of RECORD_KINDS) {
    const path = choices[kind];
    if (path !== undefined) files[kind] = await openSourceFile(path, choices.format, RECORDS[kind], input);
  }
  return files;
}

async function runImport(
  { database: db, vault, listenTarget, writer }: AccountStorage,
  files: Files,
  choices: ImportChoices,
  { connectTimeoutMs, terminal }: { readonly connectTimeoutMs: number; readonly terminal: Terminal },
): Promise<ImportResult> {
  const counts: Partial<Record<RecordKind, Counts>> = {};
  const line = new ProgressLine(terminal);
  const print = (text: string) => {
    line.clear();
    terminal.write(`${text}\n`);
  };
  const report = new ImportReport(choices.report, print);
  const changes = new ChangeFeed(new NotificationChannel(db, { target: listenTarget, connectTimeoutMs }));
  changes.reportUnpublished((_error, lost) => {
    if (lost > 0) print(`${lost} changes were imported, but subscribers could not be notified of them.`);
  });
  const importer = new Importer({ db, vault, changes, warn: print }, writer, choices);

  return interruptible(async (signal) => {
    async function importFile<Item>(kind: RecordKind, steps: ImportSteps<Item>): Promise<void> {
      const file = files[kind];
      if (!file || signal.aborted) return;
      const total: Counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };
      counts[kind] = total;
      for await (const batch of batchesOf(file.records, steps)) {
        const outcomes = await writeBatch(batch, steps);
        for (const outcome of outcomes) total[outcome instanceof Refusal ? "refused" : outcome] += 1;
        for (const [index, outcome] of outcomes.entries())
          if (outcome instanceof Refusal) report.add(file.name, batch[index]?.line ?? 0, outcome);
        line.update(sum(total), RECORDS[kind].label);
        if (signal.aborted) return;
      }
    }
    try {
      await importFile("dataSources", {
        parse: parseDataSource,
        keysOf: ({ providedId }) => [providedId],
        write: (items) => importer.dataSources(items),
      });
      await importFile("groups", {
        parse: (record) => parseGroup(record, writer.environment),
        keysOf: ({ providedId, token }) => [`id ${providedId}`, ...(token ? [`token ${token}`] : [])],
        write: (items) => importer.groups(items),
      });
      return { counts, failure: null, interrupted: signal.aborted };
    } catch (error) {
      // The summary includes what was imported before the error.
      return { counts, failure: failureOf(error), interrupted: false };
    } finally {
      line.clear();
      report.close();
      await changes.close();
    }
  });
}

function failureOf(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  if (error instanceof DomainError) return new OperatorError(error.message, { cause: error });
  throw error;
}

/** The processing of the records of one file. */
interface ImportSteps<Item> {
  /** @throws DomainError for an invalid record */
  parse(record: FileRecord): Item;
  /** Keys that must be unique within a batch. */
  keysOf(item: Item): readonly string[];
  /** Writes a batch. @returns an outcome for each item */
  write(items: readonly Item[]): Promise<readonly ImportOutcome[]>;
}

interface BatchLine<Item> {
  readonly line: number;
  readonly entry: Item | Refusal;
}

/** Parses records in batches of bounded number and size. A record with a key of an earlier one starts a new batch, which builds on it. */
async function* batchesOf<Item>(
  records: AsyncIterable<SourceRecord>,
  { parse, keysOf }: ImportSteps<Item>,
): AsyncGenerator<readonly BatchLine<Item>[]> {
  let batch: BatchLine<Item>[] = [];
  let batchBytes = 0;
  const keys = new Set<string>();
  const take = () => {
    const taken = batch;
    batch = [];
    batchBytes = 0;
    keys.clear();
    return taken;
  };
  for await (const { line, bytes, content } of records) {
    const entry = content instanceof Refusal ? content : catchRefusal(() => parse(content));
    const recordKeys = entry instanceof Refusal ? [] : keysOf(entry);
    if (recordKeys.some((key) => keys.has(key))) yield take();
    batch.push({ line, entry });
    batchBytes += bytes;
    for (const key of recordKeys) keys.add(key);
    if (batch.length === MAX_UPSERTS || batchBytes >= MAX_RECORD_BYTES) yield take();
  }
  if (batch.length > 0) yield batch;
}

async function writeBatch<Item>(
  batch: readonly BatchLine<Item>[],
  { write }: ImportSteps<Item>,
): Promise<readonly ImportOutcome[]> {
  const items = batch.flatMap(({ entry }) => (entry instanceof Refusal ? [] : [entry]));
  const written = (items.length === 0 ? [] : await write(items)).values();
  return batch.map(({ entry }) => {
    if (entry instanceof Refusal) return entry;
    const { value } = written.next();
    if (value === undefined) throw new Error("A record that was written has no outcome.");
    return value;
  });
}

function sum({ created, updated, unchanged, refused }: Counts): number {
  return created + updated + unchanged + refused;
}

function summaryText(id: string, { dryRun }: ImportChoices, { counts, interrupted }: ImportResult): string {
  const head = ["", "RECORDS", "CREATED", "UPDATED", "UNCHANGED", "REFUSED"];
  const rows = RECORD_KINDS.flatMap((kind) => {
    const total = counts[kind];
    if (!total) return [];
    const { created, updated, unchanged, refused } = total;
    return [[RECORDS[kind].label, ...[sum(total), created, updated, unchanged, refused].map(String)]];
  });
  const notes = [
    dryRun ? "Dry run: nothing was changed." : `Request ID in the audit log: import ${id}`,
    ...(interrupted ? ["Interrupted. Run the same command again to continue."] : []),
  ];
  return `${formatTable([head, ...rows])}${notes.map((note) => `${note}\n`).join("")}`;
}

/** Reports rejected lines: the first ones on stderr, all of them in a file. */
class ImportReport {
  readonly #file: number | null;
  #count = 0;

  /** @param path a JSON Lines file @throws OperatorError if the file cannot be opened */
  constructor(
    path: string | undefined,
    private readonly print: (line: string) => void,
  ) {
    this.#file = path === undefined ? null : orUnwritable(() => openSync(path, "w"));
  }

  /** @throws OperatorError if the file cannot be written */
  add(file: string, line: number, { code, field, message }: Refusal): void {
    this.#count += 1;
    const report = this.#file;
    if (report !== null) {
      const text = `${JSON.stringify({ file, line, code, field: field ?? null, message })}\n`;
      orUnwritable(() => writeSync(report, text));
    }
    if (this.#count > MAX_SHOWN) return;
    const place = field === undefined ? "" : `${field}: `;
    this.print(printable(`${file}:${line}: ${code}: ${place}${message}`));
  }

  close(): void {
    if (this.#count > MAX_SHOWN) {
      const all =
        this.#file === null ? "use --report <file> to save all of them" : "the report contains all of them";
      this.print(`… and ${this.#count - MAX_SHOWN} more; ${all}.`);
    }
    if (this.#file !== null) closeSync(this.#file);
  }
}

function orUnwritable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`Cannot write the report: ${reason}.`, { cause: error });
  }
}
