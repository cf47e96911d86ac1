/** Merges metrics in the Prometheus text format: the samples of a metric must follow its HELP and TYPE lines, which must be unique. */
export function mergeMetrics(texts: readonly string[]): string {
  const samplesOf = new Map<string, string[]>();
  for (const metric of texts.flatMap((text) => text.split(/\n(?=# HELP )/))) {
    const [help = "", type = "", ...samples] = metric.trimEnd().split("\n");
    const header = `${help}\n${type}`;
    const merged = samplesOf.get(header);
    if (merged) merged.push(...samples);
    else samplesOf.set(header, samples);
  }
  return [...samplesOf].map(([header, samples]) => `${[header, ...samples].join("\n")}\n`).join("\n");
}
