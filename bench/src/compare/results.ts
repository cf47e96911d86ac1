import { markdownTable } from "../markdown-table.js";
import { medianOf, medianRatio } from "../measure.js";
import { OURS } from "./contestants.js";
import type { Sample } from "./measurement.js";

/** What is measured in each round. */
export interface Course {
  readonly workload: string;
  readonly contestant: string;
  readonly connections: number;
  /** Whether so few requests are sent that half of the contestant's time is free. */
  readonly half: boolean;
}

interface Row extends Course {
  readonly samples: Sample[];
}

const HEADS = [
  ...["workload", "connections", "contestant", "requests/s", "ours ÷ it", "p50 ms", "p99 ms"],
  ...["server µs", "database µs", "memory MB"],
];

/** The samples of all rounds. */
export class Results {
  readonly #rows = new Map<string, Row>();

  add(course: Course, sample: Sample): void {
    const key = keyOf(course);
    const row = this.#rows.get(key) ?? { ...course, samples: [] };
    this.#rows.set(key, row);
    row.samples.push(sample);
  }

  /** One figure of a course in each round; undefined when it was not measured. */
  figures(course: Course, figure: keyof Sample): readonly number[] | undefined {
    return this.#rows.get(keyOf(course))?.samples.map((sample) => sample[figure]);
  }

  /** Medians of all that was measured. */
  table(): string {
    return markdownTable(
      HEADS,
      [...this.#rows.values()].toSorted(inOrder(this.#rows)).map((row) => this.#cells(row)),
    );
  }

  #cells(row: Row): readonly string[] {
    const median = (figure: keyof Sample) => medianOf(row.samples.map((sample) => sample[figure]));
    const ours = this.figures({ ...row, contestant: OURS }, "perSecond") ?? [];
    const ratio = medianRatio(ours, this.figures(row, "perSecond") ?? []);
    return [
      row.workload,
      row.half ? `${row.connections}, half load` : String(row.connections),
      row.contestant,
      Math.round(median("perSecond")).toLocaleString("en"),
      row.half || row.contestant === OURS ? "" : show(ratio, 2),
      show(median("p50"), 2),
      show(median("p99"), 2),
      show(median("serverUs"), 0),
      show(median("databaseUs"), 0),
      show(median("memoryMb"), 0),
    ];
  }
}

/** Rows of one workload and load stand together, as they were first measured. */
function inOrder(rows: ReadonlyMap<string, Row>): (one: Row, other: Row) => number {
  const groups = [...new Set([...rows.values()].map(groupOf))];
  return (one, other) => groups.indexOf(groupOf(one)) - groups.indexOf(groupOf(other));
}

function groupOf({ workload, connections, half }: Course): string {
  return `${workload} ${connections} ${half}`;
}

function keyOf(course: Course): string {
  return `${groupOf(course)} ${course.contestant}`;
}

function show(figure: number, digits: number): string {
  return Number.isNaN(figure) ? "" : figure.toFixed(digits);
}
