/** Something to be timed: one run of it does its whole work. */
export interface Subject {
  readonly run: () => unknown;
}

/** Fast subjects run as often as takes this long, so that other processes and the garbage collector disturb them as they do slow ones. */
const SAMPLE_MS = 40;
const WARM_UP_MS = 150;
const FEWEST_ROUNDS = 7;

/** How long one run took, in milliseconds: one number for each round. */
export type Samples = readonly number[];

/**
 * Times subjects in rounds, each of which takes every subject once: whatever else the machine does falls on all alike.
 * @param seconds for all rounds together; there are at least seven
 */
export async function measureInTurn<Any extends Subject>(
  subjects: readonly Any[],
  seconds: number,
): Promise<ReadonlyMap<Any, Samples>> {
  const courses: Course<Any>[] = [];
  for (const subject of subjects) {
    courses.push({ subject, runs: await runsOfSample(subject), samples: [] });
  }
  const end = performance.now() + seconds * 1000;
  for (let round = 0; round < FEWEST_ROUNDS || performance.now() < end; round += 1) {
    // Each second round goes backwards, so that nobody always pays for the garbage of the same neighbour.
    for (const { subject, runs, samples } of round % 2 === 0 ? courses : courses.toReversed()) {
      samples.push((await timeOf(subject, runs)) / runs);
    }
  }
  return new Map(courses.map(({ subject, samples }) => [subject, samples]));
}

export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** How many times as long as another subject one took: the median over rounds, as a machine may be slow for some of them. */
export function medianRatio(samples: Samples, others: Samples): number {
  return medianOf(samples.map((sample, round) => sample / (others[round] ?? Number.NaN)));
}

interface Course<Any> {
  readonly subject: Any;
  readonly runs: number;
  readonly samples: number[];
}

/** Warms a subject up. @returns how many runs make a sample */
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
    // Awaiting what is no promise would take time, too.
    if (result instanceof Promise) await result;
  }
  return performance.now() - start;
}
