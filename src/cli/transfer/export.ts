import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ProcessEnvironment } from "../../config/config.js";
import type { Tenant } from "../../domain/accounts/caller.js";
import { JsonSource } from "../../domain/shared/json-source.js";
import { OperatorError, UsageError } from "../../domain/shared/operator-error.js";
import { type ExportedGroup, ExportReader } from "../../services/transfer/export-reader.js";
import { type AccountChoice, withAccount } from "../shared/account.js";
import type { Output } from "../shared/output.js";
import { ProgressLine, type Terminal } from "../shared/progress.js";
import { type ExportedRecord, RecordFormatter } from "./files/export-records.js";
import { FILE_KINDS, FILE_SHAPES, type FileKind } from "./files/import-records.js";
import { type FileFormat, formatOf } from "./files/source-file.js";
import { KIND_NAMES } from "./import.js";

export interface ExportChoices extends AccountChoice, Partial<Record<FileKind, string>> {
  readonly format?: FileFormat;
  readonly withTokens: boolean;
}

/** Files with tokens are readable by their owner only. */
const SECRET_MODE = 0o600;
const DEFAULT_MODE = 0o666;

/** Exports files that `import` reads. @throws OperatorError if a file cannot be written */
export async function exportFiles(
  settings: ProcessEnvironment,
  choices: ExportChoices,
  { terminal, output }: { readonly terminal: Terminal; readonly output: Output },
): Promise<void> {
  const usesStandardOutput = FILE_KINDS.some((kind) => choices[kind] === "-");
  if (output.isJson && usesStandardOutput) {
    throw new UsageError("The summary of --json and a file cannot both be standard output.");
  }
  const summary: Partial<Record<FileKind, number>> = {};
  const chosen = FILE_KINDS.filter((kind) => choices[kind] !== undefined);
  if (chosen.length === 0)
    throw new UsageError("No file to export to. Set --data-sources, --groups or --mappings.");
  if (chosen.filter((kind) => choices[kind] === "-").length > 1) {
    throw new UsageError("Only one of the files can be standard output.");
  }
  const formats = new Map(
    chosen.map((kind) => [kind, choices.format ?? formatOf(choices[kind] ?? "")] as const),
  );
  for (const kind of chosen) await requireFile(choices[kind] ?? "");
  await withAccount(settings, choices, { name: "cli", requestId: null }, async (storage) => {
    const reader = new ExportReader(storage.database, storage.vault);
    const counts = await reader.count(storage.writer);
    for (const [kind, format] of formats) {
      const pages = pagesOf(reader, storage.writer, kind, choices.withTokens);
      const formatter = new RecordFormatter(format, columnsOf(kind, choices.withTokens));
      const total = kind === "dataSources" ? counts.dataSources : counts.groups;
      const path = choices[kind] ?? "";
      const line = new ProgressLine(terminal, KIND_NAMES[kind], { records: 0, fraction: 0 });
      const mode = kind === "groups" && choices.withTokens ? SECRET_MODE : DEFAULT_MODE;
      let written = 0;
      const text = textOf(pages, formatter, (records, subjects) => {
        written = records;
        line.update({ records, fraction: total === 0 ? 1 : Math.min(1, subjects / total) });
      });
      await write(path, text, mode).finally(() => line.clear());
      summary[kind] = written;
      terminal.write(`${path === "-" ? "standard output" : path}: ${written} ${KIND_NAMES[kind]}\n`);
    }
  });
  await output.print(summary, "");
}

function columnsOf(kind: FileKind, withTokens: boolean): readonly string[] {
  if (kind !== "groups") return FILE_SHAPES[kind].columns;
  return ["provided_id", "name", ...(withTokens ? ["token"] : []), "properties", "mapping"];
}

/** A page of records, and the number of groups or data sources in it. */
interface RecordPage {
  readonly records: readonly ExportedRecord[];
  readonly subjects: number;
}

async function* pagesOf(
  reader: ExportReader,
  tenant: Tenant,
  kind: FileKind,
  withTokens: boolean,
): AsyncGenerator<RecordPage> {
  if (kind === "dataSources") {
    for await (const page of reader.dataSources(tenant)) {
      const records = page.map(({ providedId, name }) => ({ provided_id: providedId, name }));
      yield { records, subjects: page.length };
    }
    return;
  }
  const toRecords = (exported: ExportedGroup): ExportedRecord[] =>
    kind === "mappings" ? mappingRecords(exported) : [groupRecord(exported, withTokens ? reader : null)];
  for await (const page of reader.groups(tenant)) {
    yield { records: page.flatMap(toRecords), subjects: page.length };
  }
}

/** @param tokens decrypts the tokens; null omits them */
function groupRecord({ group, mapping }: ExportedGroup, tokens: ExportReader | null): ExportedRecord {
  const { providedId, name, properties } = group;
  const entries = mapping.map(({ schemaId, dataSource }) => [schemaId, dataSource.providedId]);
  return {
    provided_id: providedId,
    name,
    ...(tokens ? { token: tokens.tokenOf(group) } : {}),
    properties: properties === null ? null : new JsonSource(properties),
    mapping: Object.fromEntries(entries),
  };
}

function mappingRecords({ group, mapping }: ExportedGroup): ExportedRecord[] {
  return mapping.map(({ schemaId, dataSource }) => ({
    user_group_id: group.providedId,
    schema_id: schemaId,
    data_source: dataSource.providedId,
  }));
}

/** Rejects devices and other special files: the rename would replace them. */
async function requireFile(path: string): Promise<void> {
  if (path === "-") return;
  const found = await stat(path).catch(() => null);
  if (!found || found.isFile()) return;
  throw new OperatorError(
    `Cannot write ${JSON.stringify(path)}: it is not a regular file. Choose another path, or - for standard output.`,
  );
}

/** @param onPage called with the total numbers of records, and of groups or data sources, so far */
async function* textOf(
  pages: AsyncIterable<RecordPage>,
  formatter: RecordFormatter,
  onPage: (records: number, subjects: number) => void,
): AsyncGenerator<string> {
  let records = 0;
  let subjects = 0;
  if (formatter.head !== "") yield formatter.head;
  for await (const page of pages) {
    const text = formatter.textOf(page.records);
    if (text !== "") yield text;
    records += page.records.length;
    subjects += page.subjects;
    onPage(records, subjects);
  }
}

/** Writes to a file, or to stdout for `-`. The file appears only when it is complete. */
async function write(path: string, text: AsyncIterable<string>, mode: number): Promise<void> {
  const draft = `${path}.part`;
  try {
    if (path === "-") {
      return await pipeline(Readable.from(text), process.stdout, { end: false });
    }
    // An existing draft could be readable by other users.
    await rm(draft, { force: true });
    await pipeline(Readable.from(text), createWriteStream(draft, { flags: "wx", mode }));
    await rename(draft, path);
  } catch (error) {
    if (path !== "-") await rm(draft, { force: true });
    throw unwritable(path, error);
  }
}

function unwritable(path: string, error: unknown): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new OperatorError(`Cannot write ${JSON.stringify(path)}: ${error.message}.`, { cause: error });
}
