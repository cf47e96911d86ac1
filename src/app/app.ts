import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/config.js";
import { metricsAccess } from "../config/metrics-access.js";
import { saveDemoKey } from "../embedded-postgres/secrets-file.js";
import type { TrustedDocuments } from "../graphql/server/trusted-documents.js";
import { readConsoleDocuments } from "../http/pages/console-documents.js";
import { isLoopback } from "../http/pages/loopback.js";
import { createHttpServer } from "../http/server/http-server.js";
import { requireFreePort, toListenError } from "../http/server/listening.js";
import { RedisCounters } from "../persistence/requests/redis-counters.js";
import { createDemoAccount, type DemoSecrets } from "../services/data-sources/demo-account.js";
import { createServices } from "../services/services.js";
import { createMetricsExporter } from "../telemetry/export/metrics.js";
import { createReplicas } from "./replicas.js";
import { openStorage, type Storage } from "./storage.js";
import { openTelemetry, type ProcessTelemetry } from "./telemetry.js";
import { readTrustedDocuments } from "./trusted-documents-file.js";

const KEY_USAGE_INTERVAL_MS = 10_000;
const DAY_MS = 86_400_000;
/** Number of executions before a document is compiled: compiling takes as long as some dozen executions. */
const COMPILE_AFTER = 3;
const RATE_LIMIT_WINDOW_S = 60;
/** Next to the compiled sources. */
const CONSOLE_DIRECTORY = fileURLToPath(new URL("../../console", import.meta.url));
const PAGES_DIRECTORY = fileURLToPath(new URL("../../pages", import.meta.url));

/** Receives the log, one JSON line per call. */
export interface LogStream {
  write(line: string): void;
}

/** A running service. */
export interface App {
  /** Base URL, e.g. "http://127.0.0.1:4000". */
  readonly url: string;
  readonly serverVersion: string;
  /** Keys of the demo account; set only on the first start with an embedded database. */
  readonly demo: DemoSecrets | null;
  /** Resolves with a description when the embedded PostgreSQL exits for any reason. */
  readonly serverEnded: Promise<string>;
  /**
   * Shuts down gracefully (decision 38): reports not ready and continues to serve for `delayMs`, then completes the requests and webhook
   * attempts in progress and closes the database.
   */
  close(delayMs: number): Promise<void>;
}

/** Resources opened before the server. */
interface Prerequisites {
  readonly storage: Storage;
  readonly processTelemetry: ProcessTelemetry;
  readonly warnings: readonly string[];
  readonly trustedDocuments: TrustedDocuments | undefined;
}

/**
 * Starts the service.
 * @throws OperatorError when a setting, the persisted queries, the port or the database is unusable; nothing is left running
 */
export async function startApp(config: Config, logStream: LogStream): Promise<App> {
  // Check the port before opening the database: a second start on the same port must have no effect.
  await requireFreePort(config.host, config.port);
  const trustedDocuments =
    config.trustedDocuments === undefined
      ? undefined
      : await readTrustedDocuments(
          config.trustedDocuments,
          config.console ? await readConsoleDocuments(CONSOLE_DIRECTORY) : undefined,
        );
  const warnings: string[] = [];
  const processTelemetry = await openTelemetry(config.traces);
  const storage = await openStorage(config, {
    adopt: false,
    migrate: true,
    warn: (message) => warnings.push(message),
    telemetry: processTelemetry.telemetry,
  });
  try {
    return await serveFrom({ storage, processTelemetry, warnings, trustedDocuments }, config, logStream);
  } catch (error) {
    await storage.close();
    throw toListenError(error, config.host, config.port);
  }
}

async function serveFrom(
  { storage, processTelemetry, warnings, trustedDocuments }: Prerequisites,
  config: Config,
  logStream: LogStream,
): Promise<App> {
  const redis = config.redisUrl === undefined ? undefined : new RedisCounters(config.redisUrl);
  const replicas = createReplicas(config, processTelemetry.telemetry);
  const services = createServices(storage.database, storage.vault, {
    tokenGraceSeconds: config.tokenGraceSeconds,
    listen: { target: storage.listenTarget, connectTimeoutMs: config.databaseConnectTimeoutMs },
    eventStreams: config.eventStreams,
    trustedProxies: config.trustedProxies,
    rateLimits: {
      windowSeconds: RATE_LIMIT_WINDOW_S,
      maxCost: config.rateLimit,
      authFailures: config.authFailureLimit,
      shared: redis,
    },
    reads: { consistency: config.readConsistency, replicas: replicas?.reads },
    speed: { collect: config.batchStatements, keyCacheMs: config.apiKeyCacheMs },
    webhooks: {
      allowPrivate: config.webhookAllowPrivate,
      slots: config.webhookSlots,
      breaker: { disableAfterMs: config.webhookDisableAfterDays * DAY_MS },
      pendingMaxAgeMs: config.webhookPendingMaxDays * DAY_MS,
    },
    telemetry: processTelemetry.telemetry,
  });
  let { demoKey } = storage;
  let isShuttingDown = false;
  const server = await createHttpServer(services, {
    version: processTelemetry.version,
    corsOrigins: config.corsOrigins,
    compileAfter: config.graphqlJit ? COMPILE_AFTER : Number.POSITIVE_INFINITY,
    fastPath: config.graphqlFastPath,
    introspection: config.graphqlIntrospection,
    playground: config.graphqlPlayground,
    apiDocs: config.apiDocs,
    pagesDirectory: PAGES_DIRECTORY,
    consoleDirectory: config.console ? CONSOLE_DIRECTORY : undefined,
    requestTimeoutMs: config.requestTimeoutMs,
    isShuttingDown: () => isShuttingDown,
    demoKey: () => (isLoopback(config.host) ? demoKey : undefined),
    limits: config.graphqlLimits,
    connectionLimits: config.connectionLimits,
    trustedProxies: config.trustedProxies,
    trustedDocuments,
    log: {
      level: config.logLevel,
      stream: logStream,
      successesPerSecond: config.logSuccessesPerSecond,
    },
    metrics: {
      access: metricsAccess(config),
      reader: (http) =>
        createMetricsExporter({
          metrics: processTelemetry.telemetry.metrics,
          build: {
            version: processTelemetry.version,
            node: process.version,
            postgresql: storage.serverVersion,
          },
          http,
          subscriptions: () => services.eventStreams.open,
          unpublishedChanges: () => services.changes.unpublished,
          isListening: () => services.notifications.isListening,
          isRedisReachable: () => redis?.isReachable,
          replicas: () => replicas?.usage,
          webhooksInProgress: () => services.webhookDispatcher.inProgress,
          outbox: () => services.webhookDispatcher.state(),
        }),
    },
  });
  processTelemetry.onExportFailure((reason) => {
    server.log.warn({ reason }, "traces do not reach their collector; they are lost until they do");
  });
  for (const warning of warnings) server.log.warn(warning);
  const logUsageFailure = (error: unknown) => {
    server.log.warn({ err: error }, "the last use of API keys could not be written");
  };
  services.changes.reportUnpublished((error, lost) => {
    if (lost === 0) server.log.warn({ err: error }, "changes could not be published");
    else
      server.log.error({ err: error, lost }, "changes were lost: other processes were not notified of them");
  });
  services.keyUsage.start(KEY_USAGE_INTERVAL_MS, logUsageFailure);
  // Runs after the last request has completed.
  server.addHook("onClose", async () => {
    await services.webhookDispatcher.stop();
    await services.changes.close();
    await services.purges.stop();
    await services.siteConfigThread.close();
    services.keyUsage.stop();
    await services.keyUsage.flush().catch(logUsageFailure);
  });
  try {
    // LISTEN does not work behind a transaction-mode pooler; other processes then accept a revoked key until its cache entry expires.
    if (!config.databasePooled || config.databaseListenUrl !== undefined) services.notifications.start();
    if (redis) await connectRedis(redis, server);
    await replicas?.start(server);
    await server.listen({ host: config.host, port: config.port });
    if (config.webhooks) services.webhookDispatcher.start(server.log);
    services.purges.start(server.log);
    const demo =
      config.databaseUrl === undefined
        ? await createDemoAccount(services.accounts, services.dataSources)
        : null;
    if (demo) {
      demoKey = demo.customerKey;
      await saveDemoKey(config.dataDir, demoKey).catch((error: unknown) => {
        server.log.warn({ err: error }, "the key of the demo account could not be kept for the playground");
      });
    }
    return {
      url: toUrl(server.server.address()),
      serverVersion: storage.serverVersion,
      serverEnded: storage.serverEnded,
      demo,
      async close(delayMs) {
        isShuttingDown = true;
        server.log.info({ delayMs }, "shutting down");
        await sleep(delayMs);
        await server.close().finally(() => storage.close());
        await processTelemetry.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Shares rate limit counters with the other processes until the server closes. */
async function connectRedis(redis: RedisCounters, server: FastifyInstance): Promise<void> {
  server.addHook("onClose", () => redis.close());
  await redis.open({
    onLost: (reason) => {
      server.log.warn(
        { err: reason },
        "Redis is out of reach: each process counts rate limits in its memory",
      );
    },
    onRestored: () => server.log.warn("Redis is back: rate limits are counted there again"),
  });
}

function toUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string")
    throw new Error("The server does not listen on a port.");
  // Clients cannot connect to a wildcard address.
  const host = address.address.replace(/^0\.0\.0\.0$/, "127.0.0.1").replace(/^::$/, "::1");
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}
