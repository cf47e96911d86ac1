import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "../../../domain/shared/errors.js";
import { type ImportOutcome, Refusal, refuseFaults } from "../../../domain/transfer/refusal.js";
import { SeenKeys } from "./seen-keys.js";
import { LONGEST_RECORD_BYTES, type SourcePosition, type SourceRecord } from "./source-record.js";

/** What is done with the records of one file. */
export interface ImportStage<Item> {
  /** @throws DomainError for a record that is not taken */
  parse(fields: Readonly<Record<string, unknown>>): Item;
  /** What no two records of a file may share, by the names of the fields. */
  keysOf(item: Item): readonly (readonly [field: string, key: string])[];
  /** Writes the items of a batch in one transaction. @returns an outcome for each */
  write(items: readonly Item[]): Promise<readonly ImportOutcome[]>;
}

/** How many records had which outcome. */
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
  /** What was counted before the position where the records begin. */
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  /** Told of each batch that is written, in the order of the file. */
  onBatch(position: SourcePosition, metrics: Metrics): Promise<void>;
  onRefusal(line: number, refusal: Refusal): void;
}

/** So many records are written with a handful of statements, and so many batches at a time: one is parsed and encrypted while PostgreSQL writes the other. */
const BATCH = 1000;
const IN_FLIGHT = 2;
/** How often and how long a batch waits for a database that is out of reach. */
const RETRY_AFTER_MS = [200, 1000, 3000, 6000, 10_000];

interface Batch<Item> {
  readonly lines: number[];
  readonly entries: (Item | Refusal)[];
  /** How many bytes of the file end with its first record. */
  readonly begins: number;
  position: SourcePosition;
}

/**
 * Brings the records of a file in, batch by batch, in constant memory but for what is remembered of each to tell repeated ones.
 * @returns what was counted; what is left when the signal stops it is not read
 * @throws what reading or writing throws, once the batches under way have ended
 */
export async function runStage<Item>(
  records: AsyncIterable<SourceRecord>,
  stage: ImportStage<Item>,
  options: StageOptions,
): Promise<Metrics> {
  let metrics = options.metrics;
  const inFlight: Promise<() => Promise<void>>[] = [];
  const begin = async (batch: Batch<Item>) => {
    const outcomes = await writeBatch(stage, batch, options.signal);
    return async () => {
      outcomes.forEach((outcome, index) => {
        if (outcome instanceof Refusal) options.onRefusal(batch.lines[index] ?? 0, outcome);
      });
      metrics = count(metrics, outcomes);
      await options.onBatch(batch.position, metrics);
    };
  };
  /** Batches are counted in the order of the file, so that a checkpoint has no gap before it. */
  const settle = async () => (await inFlight.shift())?.();
  try {
    let fault: Fault | null = null;
    for await (const batch of batchesOf(records, stage, options)) {
      if (batch instanceof Fault) {
        fault = batch;
        break;
      }
      if (inFlight.length === IN_FLIGHT) await settle();
      const begun = begin(batch);
      // Whoever settles it sees the error; until then nobody listens.
      begun.catch(() => undefined);
      inFlight.push(begun);
    }
    while (inFlight.length > 0) await settle();
    if (fault) throw fault.error;
    return metrics;
  } finally {
    // Nothing is written any more once the import has ended, however it ends.
    await Promise.allSettled(inFlight);
  }
}

/** What went wrong with reading, told after what was read before. */
class Fault {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

async function* batchesOf<Item>(
  records: AsyncIterable<SourceRecord>,
  stage: ImportStage<Item>,
  { signal }: StageOptions,
): AsyncGenerator<Batch<Item> | Fault> {
  const seen = new SeenKeys();
  let batch: Batch<Item> | null = null;
  let fault: Fault | null = null;
  try {
    for await (const { line, lastLine, end, content } of records) {
      if (signal.aborted) return;
      const entry = content instanceof Refusal ? content : takeRecord(content, stage, seen);
      const position = { offset: end, lines: lastLine };
      batch ??= { lines: [], entries: [], begins: end, position };
      batch.lines.push(line);
      batch.entries.push(entry);
      batch.position = position;
      // A few very long records are as much as many short ones.
      if (batch.lines.length < BATCH && end - batch.begins < LONGEST_RECORD_BYTES) continue;
      yield batch;
      batch = null;
    }
  } catch (error) {
    fault = new Fault(error);
  }
  if (batch && !signal.aborted) yield batch;
  if (fault) yield fault;
}

function takeRecord<Item>(
  fields: Readonly<Record<string, unknown>>,
  stage: ImportStage<Item>,
  seen: SeenKeys,
): Item | Refusal {
  const item = refuseFaults(() => stage.parse(fields));
  if (item instanceof Refusal) return item;
  const keys = stage.keysOf(item);
  // Of a line that is refused nothing is remembered: what else it has is free for another one.
  const repeated = keys.find(([, key]) => seen.has(key));
  if (repeated) return new Refusal("repeated", "This stands in an earlier line already.", [repeated[0]]);
  for (const [, key] of keys) seen.add(key);
  return item;
}

async function writeBatch<Item>(
  stage: ImportStage<Item>,
  { entries }: Batch<Item>,
  signal: AbortSignal,
): Promise<ImportOutcome[]> {
  const items = entries.filter((entry): entry is Item => !(entry instanceof Refusal));
  const outcomes = items.length === 0 ? [] : await persistently(() => stage.write(items), signal);
  const written = outcomes.values();
  return entries.map((entry) => {
    if (entry instanceof Refusal) return entry;
    const { value } = written.next();
    if (value === undefined) throw new Error("A record that was written has no outcome.");
    return value;
  });
}

/** A batch whose commit was not confirmed may be written again: what is there by then is unchanged. */
async function persistently<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (const delay of RETRY_AFTER_MS) {
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
