import { Gauge, Counter as PrometheusCounter, Registry } from "prom-client";
import type { Counter, Histogram } from "../counters.js";

/** A metric whose values are read at scrape time. */
interface ReadMetric<Labels extends readonly string[], Read> {
  readonly name: string;
  readonly help: string;
  readonly labels: Labels;
  /** Label values, in the order of `labels`, with the metric's value. */
  readonly read: () => Iterable<readonly [labels: readonly string[], value: Read]>;
}

export function registerCounter<const Labels extends readonly string[]>(
  registry: Registry,
  { name, help, labels, read }: ReadMetric<Labels, Pick<Counter, "value">>,
): void {
  new PrometheusCounter({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      this.reset();
      for (const [values, { value }] of read()) this.inc(labelled(labels, values), value);
    },
  });
}

/** Registers a gauge; label combinations whose value is undefined are omitted. */
export function registerGauge<const Labels extends readonly string[]>(
  registry: Registry,
  { name, help, labels, read }: ReadMetric<Labels, number | undefined>,
): void {
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      this.reset();
      for (const [values, value] of read()) {
        if (value === undefined) this.remove(...values);
        else this.set(labelled(labels, values), value);
      }
    },
  });
}

/** A registry with histograms that are rendered from their counts: prom-client's histograms are slow to observe a value. */
export class MetricsRegistry extends Registry {
  readonly #histograms: ReadMetric<readonly string[], Histogram>[] = [];
  #commonLabels: Readonly<Record<string, number>> = {};

  override setDefaultLabels(labels: Readonly<Record<string, number>>): void {
    super.setDefaultLabels(labels);
    this.#commonLabels = labels;
  }

  addHistogram(histogram: ReadMetric<readonly string[], Histogram>): void {
    this.#histograms.push(histogram);
  }

  override async metrics(): Promise<string> {
    return [await super.metrics(), ...this.#histograms.map((each) => this.#writeHistogram(each))].join("\n");
  }

  #writeHistogram({ name, help, labels, read }: ReadMetric<readonly string[], Histogram>): string {
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    for (const [values, { bounds, counts, sum }] of read()) {
      const pairs = Object.entries({ ...labelled(labels, values), ...this.#commonLabels }).map(
        ([label, value]) => `${label}=${JSON.stringify(String(value))}`,
      );
      let count = 0;
      for (const [index, each] of counts.entries()) {
        count += each;
        lines.push(`${name}_bucket{${[...pairs, `le="${bounds[index] ?? "+Inf"}"`].join()}} ${count}`);
      }
      const all = pairs.length > 0 ? `{${pairs.join()}}` : "";
      lines.push(`${name}_sum${all} ${sum}`, `${name}_count${all} ${count}`);
    }
    return `${lines.join("\n")}\n`;
  }
}

function labelled(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
}
