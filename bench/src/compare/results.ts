import { medianOf, ratiosOf, showRatios } from "../measure.js";
import type { Sample } from "./measurement.js";

/** The key of a series of samples. */
export interface Series {
  readonly workload: string;
  /** The contestant's name, or the number of groups. */
  readonly contestant: string;
  readonly connections: number;
  /** Whether only half of the maximum rate is sent. */
  readonly half: boolean;
}

/** The samples of all rounds. */
export class Results {
  readonly #rows = new Map<string, { readonly series: Series; readonly samples: Sample[] }>();

  add(series: Series, sample: Sample): void {
    const row = this.#rows.get(keyOf(series)) ?? { series, samples: [] };
    this.#rows.set(keyOf(series), row);
    row.samples.push(sample);
  }

  /** The series in the order of their first measurement, grouped by workload and load. */
  allSeries(): readonly Series[] {
    const allSeries = [...this.#rows.values()].map(({ series }) => series);
    const loads = [...new Set(allSeries.map(loadOf))];
    return loads.flatMap((load) => allSeries.filter((series) => loadOf(series) === load));
  }

  /** One figure of a series in each round; empty when it was not measured. */
  figures(series: Series, figure: keyof Sample): readonly number[] {
    return this.#rows.get(keyOf(series))?.samples.map((sample) => sample[figure]) ?? [];
  }

  median(series: Series, figure: keyof Sample): number {
    return medianOf(this.figures(series, figure));
  }

  /** The ratio of two series in each round; empty when one was not measured. */
  ratios(one: Series, other: Series, figure: keyof Sample): readonly number[] {
    const others = this.figures(other, figure);
    return others.length === 0 ? [] : ratiosOf(this.figures(one, figure), others);
  }
}

export function show(figure: number, digits: number): string {
  return Number.isNaN(figure)
    ? ""
    : figure.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A target is a minimum or maximum ratio. @returns the cells of a row */
export function targetRow(
  title: string,
  ratios: readonly number[],
  wanted: { minRatio?: number; maxRatio?: number },
) {
  const ratio = medianOf(ratios);
  const { minRatio = 0, maxRatio = Number.POSITIVE_INFINITY } = wanted;
  return [
    ...[title, wanted.minRatio === undefined ? `≤ ${maxRatio}` : `≥ ${minRatio}`, showRatios(ratios)],
    ratio >= minRatio && ratio <= maxRatio ? "reached" : "missed",
  ];
}

export const TARGET_HEADS = ["target", "wanted", "measured", "outcome"];

function loadOf({ workload, connections, half }: Series): string {
  return `${workload} ${connections} ${half}`;
}

function keyOf(series: Series): string {
  return `${loadOf(series)} ${series.contestant}`;
}
