import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { stringify } from "csv-stringify/sync";
import type { ProcessEnvironment } from "../../config/config.js";
import type { Tenant } from "../../domain/accounts/caller.js";
import { OperatorError, UsageError } from "../../domain/shared/operator-error.js";
import { JsonSource } from "../../domain/shared/stored-json.js";
import {
  exportedGroupFields,
  type FileRecord,
  RECORD_KINDS,
  RECORDS,
  type RecordKind,
  toDataSourceRecord,
  toGroupRecord,
} from "../../domain/transfer/record.js";
import { ExportReader } from "../../services/transfer/export-reader.js";
import type { Output } from "../shared/output.js";
import { ProgressLine, type Terminal } from "../shared/progress.js";
import { type AccountChoice, withAccount } from "../shared/storage.js";
import { type FileFormat, formatOf } from "./source-file.js";

export interface ExportChoices extends AccountChoice, Partial<Record<RecordKind, string>> {
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
  const { withTokens } = choices;
  const paths = RECORD_KINDS.flatMap((kind) => {
    const path = choices[kind];
    return path === undefined ? [] : [{ kind, path }];
  });
  const toStandardOutput = paths.filter(({ path }) => path === "-").length;
  if (output.isJson && toStandardOutput > 0) {
    throw new UsageError("The summary of --json and a file cannot both be standard output.");
  }
  if (paths.length === 0) throw new UsageError("No file to export to. Set --data-sources or --groups.");
  if (toStandardOutput > 1) throw new UsageError("Only one of the files can be standard output.");
  const files = paths.map((file) => ({ ...file, format: choices.format ?? formatOf(file.path) }));
  for (const { path } of files) await requireFile(path);
  const summary: Partial<Record<RecordKind, number>> = {};
  const line = new ProgressLine(terminal);
  await withAccount(settings, choices, { name: "cli", requestId: null }, async (storage) => {
    const reader = new ExportReader(storage.database, storage.vault);
    for (const { kind, path, format } of files) {
      const { label } = RECORDS[kind];
      const columns = kind === "groups" ? exportedGroupFields(withTokens) : RECORDS[kind].fields;
      let written = 0;
      const text = async function* () {
        if (format === "csv") yield stringify([[...columns]]);
        for await (const records of pagesOf(reader, storage.writer, kind, withTokens)) {
          yield format === "csv" ? toCsv(records, columns) : toJsonLines(records);
          written += records.length;
          line.update(written, label);
        }
      };
      const mode = kind === "groups" && withTokens ? SECRET_MODE : DEFAULT_MODE;
      await write(path, text(), mode).finally(() => line.clear());
      summary[kind] = written;
      terminal.write(`${path === "-" ? "standard output" : path}: ${written} ${label}\n`);
    }
  });
  await output.print(summary, "");
}

async function* pagesOf(
  reader: ExportReader,
  tenant: Tenant,
  kind: RecordKind,
  withTokens: boolean,
): AsyncGenerator<readonly FileRecord[]> {
  if (kind === "dataSources") {
    for await (const page of reader.dataSources(tenant)) yield page.map(toDataSourceRecord);
    return;
  }
  for await (const page of reader.groups(tenant))
    yield page.map(({ group, mapping }) =>
      toGroupRecord(group, mapping, withTokens ? reader.tokenOf(group) : undefined),
    );
}

function toJsonLines(records: readonly FileRecord[]): string {
  const lines = records.map((record) => {
    const members = Object.entries(record).map(([key, value]) => `${JSON.stringify(key)}:${jsonOf(value)}`);
    return `{${members.join(",")}}\n`;
  });
  return lines.join("");
}

function toCsv(records: readonly FileRecord[], columns: readonly string[]): string {
  const cellOf = (value: unknown) => (typeof value === "string" ? value : jsonOf(value));
  return stringify(records.map((record) => columns.map((column) => cellOf(record[column]))));
}

function jsonOf(value: unknown): string {
  return value instanceof JsonSource ? value.text : JSON.stringify(value);
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

/** Writes to a file, or to stdout for `-`. The file appears only when it is complete. */
async function write(path: string, text: AsyncIterable<string>, mode: number): Promise<void> {
  const draft = `${path}.part`;
  try {
    if (path === "-") return await pipeline(text, process.stdout, { end: false });
    // An existing draft could be readable by other users.
    await rm(draft, { force: true });
    await pipeline(text, createWriteStream(draft, { flags: "wx", mode }));
    await rename(draft, path);
  } catch (error) {
    if (path !== "-") await rm(draft, { force: true });
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new OperatorError(`Cannot write ${JSON.stringify(path)}: ${error.message}.`, { cause: error });
  }
}
