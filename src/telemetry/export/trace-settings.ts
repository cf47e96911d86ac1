/** Values of OTEL_TRACES_SAMPLER. */
export const SAMPLER_NAMES = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Supported values of OTEL_EXPORTER_OTLP_PROTOCOL: gRPC is not supported. */
export const OTLP_PROTOCOLS = ["http/protobuf", "http/json"] as const;

/** Settings of traces besides those that OpenTelemetry's packages read from the environment themselves. */
export interface TraceSettings {
  /** Base URL of the collector's OTLP/HTTP endpoint, without `/v1/traces`. */
  readonly endpoint: string;
  readonly protocol: (typeof OTLP_PROTOCOLS)[number];
  readonly sampler: (typeof SAMPLER_NAMES)[number];
  /** Sampling ratio from 0 to 1, for the `traceidratio` samplers. */
  readonly ratio: number;
}
