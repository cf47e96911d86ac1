/** The samplers that OpenTelemetry names for OTEL_TRACES_SAMPLER. */
export const SAMPLER_NAMES = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** The protocols of OTEL_EXPORTER_OTLP_PROTOCOL that need no gRPC. */
export const OTLP_PROTOCOLS = ["http/protobuf", "http/json"] as const;

/** Which requests are traced, and where traces go. */
export interface TraceSettings {
  /** Where a collector takes OTLP over HTTP, without the path of traces. */
  readonly endpoint: string;
  readonly protocol: (typeof OTLP_PROTOCOLS)[number];
  /** What the collector wants to see, such as a key of its own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** What else traces tell of this process. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLER_NAMES)[number];
  /** How many requests are traced, from 0 to 1, where the sampler takes a part. */
  readonly ratio: number;
}
