import { request } from "undici";

/** The METRICS_TOKEN of the tests' services. */
export const METRICS_TOKEN = "a-token-for-the-metrics-of-tests";

/** One metric sample. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Scrapes a service. @throws Error when it is rejected, or a line is not in Prometheus' text format */
export async function scrape(url: string): Promise<readonly Sample[]> {
  return readSamples(await scrapeText(url));
}

export async function scrapeText(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const { statusCode, body } = await request(`${url}/metrics`, { headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`The metrics were refused: ${statusCode} ${text}`);
  return text;
}

/** The sum of the samples with these labels; undefined without any. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/** A metric of a service in this process. */
interface ReadableMetric {
  get(): Promise<{
    readonly values: readonly {
      readonly metricName?: string;
      readonly labels: Readonly<Record<string, string | number | undefined>>;
      readonly value: number;
    }[];
  }>;
}

/** The sum of a metric's series with these labels, of a histogram their count; undefined without any. */
export async function metricValue(
  metric: ReadableMetric,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const { values } = await metric.get();
  const found = values.filter(
    (each) =>
      !/_(?:bucket|sum)$/.test(each.metricName ?? "") &&
      Object.entries(labels).every(([label, value]) => each.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

export function readSamples(text: string): readonly Sample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name, labels = "", value] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`This is no sample: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", text = ""]) => [
        key,
        text,
      ]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value.replace("Inf", "Infinity")) };
    });
}
