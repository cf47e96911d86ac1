import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Count, Distribution } from "../counts.js";

/** A metric that is counted elsewhere, and read when somebody asks for it. */
interface ReadMetric<Labels extends readonly string[], Read> {
  readonly name: string;
  readonly help: string;
  readonly labels: Labels;
  /** The values of the labels, in their order, with what was counted. */
  readonly read: () => Iterable<readonly [labels: readonly string[], counted: Read]>;
}

/** Has a registry tell counts. */
export function tellCounts<const Labels extends readonly string[]>(
  registry: Registry,
  { name, help, labels, read }: ReadMetric<Labels, Pick<Count, "value">>,
): void {
  new Counter({
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

/** Has a registry tell what is so at the moment; what cannot be found out is left out. */
export function tellState<const Labels extends readonly string[]>(
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

/** Has a registry tell distributions. */
export function tellDistributions<const Labels extends readonly string[]>(
  registry: Registry,
  metric: ReadMetric<Labels, Distribution>,
): void {
  registry.registerMetric(new ReadHistogram(metric));
}

/**
 * The library's own histograms take longer to count one value than all else that counts in a request. This one stands upon what the
 * registry asks of them, which is no public interface; hence the exact version of the library.
 */
class ReadHistogram extends Histogram {
  readonly #metric: ReadMetric<readonly string[], Distribution>;

  constructor(metric: ReadMetric<readonly string[], Distribution>) {
    super({ name: metric.name, help: metric.help, registers: [] });
    this.#metric = metric;
  }

  /** What the registry writes its lines from. */
  async getForPromString() {
    const { name, help, labels, read } = this.#metric;
    const values = [...read()].flatMap(([of, counted]) => linesOf(name, labelled(labels, of), counted));
    return { name, help, type: "histogram", values };
  }
}

function linesOf(name: string, labels: Record<string, string>, { bounds, counts, sum }: Distribution) {
  let count = 0;
  const buckets = counts.map((each, index) => {
    count += each;
    const bound = bounds[index];
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bound ?? "+Inf" }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

function labelled(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
}
