import { medianOf, medianRatio } from "../measure.js";
import type { Sample } from "./measurement.js";

/** What is measured in each round. */
export interface Course {
  readonly workload: string;
  /** Who, or how many groups there are. */
  readonly contestant: string;
  readonly connections: number;
  /** Whether so few requests are sent that half of the contestant's time is free. */
  readonly half: boolean;
}

/** The samples of all rounds. */
export class Results {
  readonly #rows = new Map<string, { readonly course: Course; readonly samples: Sample[] }>();

  add(course: Course, sample: Sample): void {
    const row = this.#rows.get(keyOf(course)) ?? { course, samples: [] };
    this.#rows.set(keyOf(course), row);
    row.samples.push(sample);
  }

  /** The courses, those of one workload and load together, as they were first measured. */
  courses(): readonly Course[] {
    const courses = [...this.#rows.values()].map(({ course }) => course);
    const loads = [...new Set(courses.map(loadOf))];
    return loads.flatMap((load) => courses.filter((course) => loadOf(course) === load));
  }

  /** One figure of a course in each round; none when it was not measured. */
  figures(course: Course, figure: keyof Sample): readonly number[] {
    return this.#rows.get(keyOf(course))?.samples.map((sample) => sample[figure]) ?? [];
  }

  median(course: Course, figure: keyof Sample): number {
    return medianOf(this.figures(course, figure));
  }

  /** The median over rounds of a figure of one by that of another; NaN when one was not measured. */
  ratio(one: Course, other: Course, figure: keyof Sample): number {
    return medianRatio(this.figures(one, figure), this.figures(other, figure));
  }
}

export function show(figure: number, digits: number): string {
  return Number.isNaN(figure)
    ? ""
    : figure.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A target is a ratio that is to be at least or at most so much. @returns cells of a row */
export function targetRow(title: string, ratio: number, wanted: { least?: number; most?: number }) {
  const { least = 0, most = Number.POSITIVE_INFINITY } = wanted;
  return [
    ...[title, wanted.least === undefined ? `≤ ${most}` : `≥ ${least}`, ratio.toFixed(2)],
    ratio >= least && ratio <= most ? "reached" : "NOT reached",
  ];
}

export const TARGET_HEADS = ["target", "wanted", "measured", "outcome"];

function loadOf({ workload, connections, half }: Course): string {
  return `${workload} ${connections} ${half}`;
}

function keyOf(course: Course): string {
  return `${loadOf(course)} ${course.contestant}`;
}
