import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Config } from "../config/config.js";
import { allowedOrigins, metricsAccess } from "../config/local-access.js";
import { saveDemoKey } from "../embedded-postgres/secrets-file.js";
import { createSubgraphSchema } from "../graphql/server/federation/subgraph-schema.js";
import type { PersistedQueries } from "../graphql/server/persisted-queries.js";
import { isLoopback } from "../http/pages/loopback.js";
import { readConsoleDocuments } from "../http/pages/pages.js";
import { createHttpServer } from "../http/server/http-server.js";
import { baseUrl, requireFreePort, toListenError } from "../http/server/listening.js";
import { RedisLimiters } from "../persistence/requests/redis-limiters.js";
import { createDemoAccount, type DemoSecrets } from "../services/data-sources/demo-account.js";
import { createServices } from "../services/services.js";
import { registerScrapedMetrics } from "../telemetry/export/metrics.js";
import { readPersistedQueries } from "./persisted-queries-file.js";
import { serviceOptions } from "./service-options.js";
import { openStorage, type Storage } from "./storage.js";
import { openTelemetry, type ProcessTelemetry } from "./telemetry.js";

const USAGE_INTERVAL_MS = 10_000;
/** Number of executions before a document is compiled: compiling takes as long as some dozen executions. */
const COMPILE_AFTER = 3;
/** Next to the compiled sources. */
const DOCS_DIRECTORY = fileURLToPath(new URL("../../docs", import.meta.url));
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
  readonly persistedQueries: PersistedQueries | undefined;
}

/**
 * Starts the service.
 * @throws OperatorError when a setting, the persisted queries, the port or the database is unusable; nothing is left running
 */
export async function startApp(config: Config, logStream: LogStream): Promise<App> {
  // Check the port before opening the database: a second start on the same port must have no effect.
  await requireFreePort(config.host, config.port);
  const persistedQueries =
    config.persistedQueries === undefined
      ? undefined
      : await readPersistedQueries(
          config.persistedQueries,
          config.console ? await readConsoleDocuments(PAGES_DIRECTORY) : undefined,
          config.graphqlSubgraph ? createSubgraphSchema() : undefined,
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
    return await serveFrom({ storage, processTelemetry, warnings, persistedQueries }, config, logStream);
  } catch (error) {
    await storage.close();
    throw toListenError(error, config.host, config.port);
  }
}

async function serveFrom(
  { storage, processTelemetry, warnings, persistedQueries }: Prerequisites,
  config: Config,
  logStream: LogStream,
): Promise<App> {
  const redis = config.redisUrl === undefined ? undefined : await RedisLimiters.create(config.redisUrl);
  const { telemetry } = processTelemetry;
  const parts = { sharedLimiters: redis, telemetry };
  const services = createServices(storage.database, storage.vault, serviceOptions(config, storage, parts));
  let { demoKey } = storage;
  let isShuttingDown = false;
  const server = await createHttpServer(services, {
    version: processTelemetry.version,
    corsOrigins: allowedOrigins(config),
    securityContact: config.securityContact,
    compileAfter: COMPILE_AFTER,
    fastPath: true,
    introspection: config.graphqlIntrospection,
    subgraph: config.graphqlSubgraph,
    playground: config.graphqlPlayground,
    apiDocs: config.apiDocs,
    pagesDirectory: PAGES_DIRECTORY,
    console: config.console,
    previewUrl: config.previewUrl,
    frameOrigins: config.frameOrigins,
    docsDirectory: config.docs ? DOCS_DIRECTORY : undefined,
    requestTimeoutMs: config.requestTimeoutMs,
    isShuttingDown: () => isShuttingDown,
    demoKey: () => (isLoopback(config.host) ? demoKey : undefined),
    limits: config.graphqlLimits,
    connectionLimits: config.connectionLimits,
    trustedProxies: config.trustedProxies,
    persistedQueries,
    log: {
      level: config.logLevel,
      stream: logStream,
      successesPerSecond: config.logSuccessesPerSecond,
    },
    metrics: {
      access: metricsAccess(config),
      reader: (http) => {
        const { metrics } = telemetry;
        registerScrapedMetrics(metrics, {
          build: {
            version: processTelemetry.version,
            node: process.version,
            postgresql: storage.serverVersion,
          },
          http,
          subscriptions: () => services.eventStreams.open,
          webSockets: () => services.webSockets.open,
          unpublishedChanges: () => services.changes.unpublished,
          isListening: () => services.notifications.isListening,
          isRedisReachable: () => redis?.isReachable,
          webhooksInProgress: () => services.webhookDispatcher.inProgress,
          async isReady() {
            await services.checkReadiness();
            return !isShuttingDown;
          },
          outbox: () => services.webhookDispatcher.state(),
        });
        return metrics.registry;
      },
    },
  });
  processTelemetry.onExportFailure((reason) => {
    server.log.warn({ reason }, "trace export failed: spans are dropped until it succeeds");
  });
  for (const warning of warnings) server.log.warn(warning);
  const logUsageFailure = (error: unknown) => {
    server.log.warn({ err: error }, "saving the last use of API keys and the usage failed");
  };
  services.changes.reportUnpublished((error, lost) => {
    if (lost === 0) server.log.warn({ err: error }, "publishing changes failed");
    else server.log.error({ err: error, lost }, "changes were lost: other processes were not notified");
  });
  services.usage.start(USAGE_INTERVAL_MS, logUsageFailure);
  // Runs after the last request has completed.
  server.addHook("onClose", async () => {
    await services.webhookDispatcher.stop();
    await services.changes.close();
    await services.purgeJob.stop();
    services.usage.stop();
    await services.usage.flush().catch(logUsageFailure);
  });
  try {
    // LISTEN does not work behind a transaction-mode pooler; other processes then accept a revoked key until its cache entry expires.
    if (!config.databasePooled || config.databaseListenUrl !== undefined) services.notifications.start();
    if (redis) {
      server.addHook("onClose", async () => redis.close());
      await redis.open(server.log);
    }
    // Node's default of 511 is too few when the pages of a process return together: the system then drops what they send, and they wait.
    const backlog = config.connectionLimits.maxConnections;
    await server.listen({ host: config.host, port: config.port, backlog });
    if (config.webhooks) services.webhookDispatcher.start(server.log);
    if (config.purge) services.purgeJob.start(server.log);
    const demo =
      config.databaseUrl === undefined
        ? await createDemoAccount(services.accounts, services.dataSources)
        : null;
    if (demo) {
      demoKey = demo.customerKey;
      await saveDemoKey(config.dataDir, demoKey).catch((error: unknown) => {
        server.log.warn({ err: error }, "saving the demo account's API key for the playground failed");
      });
    }
    return {
      url: baseUrl(server.server.address()),
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
