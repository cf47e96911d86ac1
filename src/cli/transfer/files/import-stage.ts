import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "../../../domain/shared/errors.js";
import { catchRefusal, type ImportOutcome, Refusal } from "../../../domain/transfer/refusal.js";
import { SeenKeys } from "./seen-keys.js";
import { MAX_RECORD_BYTES, type SourcePosition, type SourceRecord } from "./source-record.js";

/** The processing of the records of one file. */
export interface ImportStage<Item> {
  /** @throws DomainError for an invalid record */
  parse(fields: Readonly<Record<string, unknown>>): Item;
  /** Keys that must be unique within a file, with their field names. */
  keysOf(item: Item): readonly (readonly [field: string, key: string])[];
  /** Writes a batch in one transaction. @returns an outcome for each item */
  write(items: readonly Item[]): Promise<readonly ImportOutcome[]>;
}

/** Number of records by outcome. */
export interface Metrics {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
}

export const NONE: Metrics = { created: 0, updated: 0, unchanged: 0, refused: 0 };

export function recordsOf({ created, updated, unchanged, refused }: Metrics): number {
  return created + updated + unchanged + refused;
}

export interface StageOptions {
  /** Counts up to the position where the records begin. */
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  /** Called after each written batch, in file order. */
  onBatch(position: SourcePosition, metrics: Metrics): Promise<void>;
  onRefusal(line: number, refusal: Refusal): void;
}

/** Records per batch, and concurrent batches: one is parsed and encrypted while PostgreSQL writes the other. */
const BATCH_SIZE = 1000;
const MAX_IN_FLIGHT = 2;
/** Delays between retries of a batch while the database is unreachable. */
const RETRY_DELAYS_MS = [200, 1000, 3000, 6000, 10_000];

interface Batch<Item> {
  readonly lines: number[];
  readonly entries: (Item | Refusal)[];
  /** Offset of the end of the first record. */
  readonly firstEnd: number;
  position: SourcePosition;
}

/**
 * Imports the records of a file in batches. Memory is constant except for the fingerprints that detect duplicates.
 * @returns the counts; records after an abort signal are not read
 * @throws errors of reading or writing, once the batches in flight have ended
 */
export async function runStage<Item>(
  records: AsyncIterable<SourceRecord>,
  stage: ImportStage<Item>,
  options: StageOptions,
): Promise<Metrics> {
  let metrics = options.metrics;
  const inFlight: Promise<() => Promise<void>>[] = [];
  const startBatch = async (batch: Batch<Item>) => {
    const outcomes = await writeBatch(stage, batch, options.signal);
    return async () => {
      outcomes.forEach((outcome, index) => {
        if (outcome instanceof Refusal) options.onRefusal(batch.lines[index] ?? 0, outcome);
      });
      metrics = count(metrics, outcomes);
      await options.onBatch(batch.position, metrics);
    };
  };
  /** Settle batches in file order, so that all records before a checkpoint are written. */
  const settle = async () => (await inFlight.shift())?.();
  try {
    let readError: ReadError | null = null;
    for await (const batch of batchesOf(records, stage, options)) {
      if (batch instanceof ReadError) {
        readError = batch;
        break;
      }
      if (inFlight.length === MAX_IN_FLIGHT) await settle();
      const started = startBatch(batch);
      // Avoid an unhandled rejection until settle() is called.
      started.catch(() => undefined);
      inFlight.push(started);
    }
    while (inFlight.length > 0) await settle();
    if (readError) throw readError.error;
    return metrics;
  } finally {
    // Wait for all batches, so that nothing is written after the import has ended.
    await Promise.allSettled(inFlight);
  }
}

/** A read error, thrown after the records before it are written. */
class ReadError {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

async function* batchesOf<Item>(
  records: AsyncIterable<SourceRecord>,
  stage: ImportStage<Item>,
  { signal }: StageOptions,
): AsyncGenerator<Batch<Item> | ReadError> {
  const seen = new SeenKeys();
  let batch: Batch<Item> | null = null;
  let readError: ReadError | null = null;
  try {
    for await (const { line, lastLine, end, content } of records) {
      if (signal.aborted) return;
      const entry = content instanceof Refusal ? content : takeRecord(content, stage, seen);
      const position = { offset: end, lines: lastLine };
      batch ??= { lines: [], entries: [], firstEnd: end, position };
      batch.lines.push(line);
      batch.entries.push(entry);
      batch.position = position;
      // Also limit the bytes of a batch.
      if (batch.lines.length < BATCH_SIZE && end - batch.firstEnd < MAX_RECORD_BYTES) continue;
      yield batch;
      batch = null;
    }
  } catch (error) {
    readError = new ReadError(error);
  }
  if (batch && !signal.aborted) yield batch;
  if (readError) yield readError;
}

function takeRecord<Item>(
  fields: Readonly<Record<string, unknown>>,
  stage: ImportStage<Item>,
  seen: SeenKeys,
): Item | Refusal {
  const item = catchRefusal(() => stage.parse(fields));
  if (item instanceof Refusal) return item;
  const keys = stage.keysOf(item);
  // Record no keys of a rejected line: later lines may use its other keys.
  const repeated = keys.find(([, key]) => seen.has(key));
  if (repeated) return new Refusal("repeated", "An earlier line has the same value.", [repeated[0]]);
  for (const [, key] of keys) seen.add(key);
  return item;
}

async function writeBatch<Item>(
  stage: ImportStage<Item>,
  { entries }: Batch<Item>,
  signal: AbortSignal,
): Promise<ImportOutcome[]> {
  const items = entries.filter((entry): entry is Item => !(entry instanceof Refusal));
  const outcomes = items.length === 0 ? [] : await withRetries(() => stage.write(items), signal);
  const written = outcomes.values();
  return entries.map((entry) => {
    if (entry instanceof Refusal) return entry;
    const { value } = written.next();
    if (value === undefined) throw new Error("A record that was written has no outcome.");
    return value;
  });
}

/** Retries while the database is unavailable. Safe if a commit was not confirmed: records already written count as unchanged. */
async function withRetries<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== "unavailable" || signal.aborted) throw error;
      await sleep(delay);
    }
  }
  return work();
}

function count(before: Metrics, outcomes: readonly ImportOutcome[]): Metrics {
  const metrics = { ...before };
  for (const outcome of outcomes) metrics[outcome instanceof Refusal ? "refused" : outcome] += 1;
  return metrics;
}
