/** Work to be timed. */
export interface Subject {
  readonly run: () => unknown;
}

/** Fast subjects are repeated for this long per sample, so that disturbances affect them as they do slow ones. */
const SAMPLE_MS = 40;
const WARM_UP_MS = 150;
const MIN_ROUNDS = 7;

/** Milliseconds per run, one number per round. */
export type Samples = readonly number[];

/**
 * Times subjects in rounds, each of which runs every subject once, so that disturbances affect all alike.
 * @param seconds for all rounds together; there are at least seven
 */
export async function measureInTurn<Item extends Subject>(
  subjects: readonly Item[],
  seconds: number,
): Promise<ReadonlyMap<Item, Samples>> {
  const timings: Timing<Item>[] = [];
  for (const subject of subjects) {
    timings.push({ subject, runs: await runsOfSample(subject), samples: [] });
  }
  const end = performance.now() + seconds * 1000;
  for (let round = 0; round < MIN_ROUNDS || performance.now() < end; round += 1) {
    // Alternate the order, so that no subject always collects the same neighbour's garbage.
    for (const { subject, runs, samples } of round % 2 === 0 ? timings : timings.toReversed()) {
      samples.push((await timeOf(subject, runs)) / runs);
    }
  }
  return new Map(timings.map(({ subject, samples }) => [subject, samples]));
}

export function medianOf(numbers: readonly number[]): number {
  return quantileOf(numbers, 0.5);
}

/** The ratio of one subject to another in each round. */
export function ratiosOf(samples: readonly number[], others: readonly number[]): readonly number[] {
  return samples.map((sample, round) => sample / (others[round] ?? Number.NaN));
}

/** Formats the median of ratios with their quartiles, such as `0.59 (0.57–0.62)`; empty without any. */
export function showRatios(ratios: readonly number[]): string {
  if (ratios.length === 0) return "";
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantileOf(ratios, share).toFixed(2));
  return `${middle} (${low}–${high})`;
}

function quantileOf(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const at = (sorted.length - 1) * share;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

interface Timing<Item> {
  readonly subject: Item;
  readonly runs: number;
  readonly samples: number[];
}

/** Warms a subject up. @returns the number of runs per sample */
async function runsOfSample(subject: Subject): Promise<number> {
  let runs = 1;
  let spent = 0;
  for (;;) {
    const elapsed = await timeOf(subject, runs);
    spent += elapsed;
    if (spent >= WARM_UP_MS) return Math.max(1, Math.round((runs * SAMPLE_MS) / elapsed));
    if (elapsed < SAMPLE_MS) runs *= 2;
  }
}

async function timeOf({ run }: Subject, runs: number): Promise<number> {
  const start = performance.now();
  for (let count = 0; count < runs; count += 1) {
    const result = run();
    // Awaiting a value that is not a promise would take time, too.
    if (result instanceof Promise) await result;
  }
  return performance.now() - start;
}
