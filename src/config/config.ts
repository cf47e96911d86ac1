import type { z } from "zod";
import { OperatorError } from "../domain/shared/operator-error.js";
import type { TraceSettings } from "../telemetry/export/trace-settings.js";
import { settings } from "./settings.js";

/** What only several settings together tell. */
const agreeing = settings.refine(
  ({ DATABASE_URL, DATABASE_REPLICA_URLS }) =>
    DATABASE_REPLICA_URLS.length === 0 || DATABASE_URL !== undefined,
  { path: ["DATABASE_REPLICA_URLS"], message: "needs DATABASE_URL, of which they are replicas" },
);

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** The settings of the service, checked, each by its name in camel case; some are grouped for their users. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/**
 * Reads the settings from the environment; an empty variable counts as not set.
 * @throws OperatorError naming every faulty setting, but never its value: it may be a secret
 */
export function readConfig(environment: ProcessEnvironment) {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== "");
  const result = agreeing.safeParse(Object.fromEntries(given));
  if (!result.success) {
    const faults = result.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
    throw new OperatorError(`Wrong settings: ${faults.join("; ")}.`);
  }
  const read = result.data;
  return {
    ...camelCased(read),
    eventStreams: {
      perToken: read.EVENT_STREAMS_PER_TOKEN,
      perKey: read.EVENT_STREAMS_PER_API_KEY,
      perAddress: read.EVENT_STREAMS_PER_ADDRESS,
      perProcess: read.EVENT_STREAMS_PER_PROCESS,
      unreadBytes: read.EVENT_STREAM_UNREAD_BYTES,
      totalUnreadBytes: read.EVENT_STREAM_TOTAL_UNREAD_BYTES,
    },
    connectionLimits: {
      maxConnections: read.MAX_CONNECTIONS,
      maxConnectionsPerAddress: read.MAX_CONNECTIONS_PER_ADDRESS,
      receiveTimeoutMs: read.REQUEST_RECEIVE_TIMEOUT_MS,
      stallTimeoutMs: read.STALLED_CONNECTION_TIMEOUT_MS,
      maxUnsentBytes: read.MAX_UNSENT_BYTES,
      maxBodyBytes: read.MAX_INCOMPLETE_BODY_BYTES,
    },
    graphqlLimits: {
      depth: read.GRAPHQL_MAX_DEPTH,
      aliases: read.GRAPHQL_MAX_ALIASES,
      rootFields: read.GRAPHQL_MAX_ROOT_FIELDS,
      tokens: read.GRAPHQL_MAX_TOKENS,
      selections: read.GRAPHQL_MAX_SELECTIONS,
      cost: read.GRAPHQL_MAX_COST,
      replyBytes: read.GRAPHQL_MAX_REPLY_BYTES,
    },
    webhookSlots: {
      total: read.WEBHOOK_CONCURRENCY,
      perAccount: read.WEBHOOK_CONCURRENCY_PER_ACCOUNT,
      perEndpoint: read.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
    },
    traces: tracesOf(read),
  };
}

/** @returns undefined when nothing is traced */
function tracesOf(read: z.infer<typeof settings>): TraceSettings | undefined {
  const endpoint = read.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    protocol: read.OTEL_EXPORTER_OTLP_PROTOCOL,
    headers: read.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: read.OTEL_SERVICE_NAME,
    resource: read.OTEL_RESOURCE_ATTRIBUTES,
    sampler: read.OTEL_TRACES_SAMPLER,
    ratio: read.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** `DATABASE_POOL_SIZE` as `databasePoolSize`. */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

function camelCased<Read extends object>(
  read: Read,
): { readonly [Name in keyof Read & string as CamelCase<Name>]: Read[Name] } {
  const named = Object.create(null);
  // Unset ones are undefined, not absent.
  for (const name of Object.keys(settings.shape)) {
    const camelCase = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    named[camelCase] = Reflect.get(read, name);
  }
  return named;
}
