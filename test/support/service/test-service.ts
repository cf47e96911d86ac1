import { randomBytes, randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { Pool } from "pg";
import { afterAll, expect, inject } from "vitest";
import { packageVersion } from "../../../src/app/package-version.js";
import type { Scope } from "../../../src/domain/accounts/caller.js";
import { ENVIRONMENTS, type Environment } from "../../../src/domain/accounts/environment.js";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import {
  DEFAULT_EVENT_STREAM_LIMITS,
  type EventStreamLimits,
} from "../../../src/domain/requests/event-stream-limits.js";
import { PersistedQueries } from "../../../src/graphql/server/persisted-queries.js";
import { DEFAULT_LIMITS, type OperationLimits } from "../../../src/graphql/shared/operation-limits.js";
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from "../../../src/http/server/connections.js";
import { createHttpServer, type HttpOptions } from "../../../src/http/server/http-server.js";
import { Database } from "../../../src/persistence/database/database.js";
import { NOTIFY_CHANGES } from "../../../src/persistence/database/notification-channel.js";
import { clientOptions, type DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import {
  createServices,
  type RateLimitOptions,
  type ServiceOptions,
  type Services,
  type SpeedOptions,
} from "../../../src/services/services.js";
import { countOnly } from "../../../src/telemetry/telemetry.js";
import { isOnCitus } from "../citus/skip-on-citus.js";
import { recordTasks } from "../citus/task-counts.js";
import { createTestDatabase, type TestDatabase } from "../postgres/test-database.js";
import { recordLog, recordSecret } from "../secrets/run-record.js";

export interface TestAccount {
  readonly accountId: number;
  readonly name: string;
  /** Creates an API key: Customer and admin by default. */
  createKey(options?: {
    readonly environment?: Environment;
    readonly scope?: Scope;
    readonly expiresAt?: Date;
  }): Promise<{ readonly secret: string; readonly id: number }>;
}

/** Creates an account with two data sources in each environment, `sales` and `support`. */
export async function createAccount({ accounts, dataSources }: Services): Promise<TestAccount> {
  const name = `account ${randomUUID()}`;
  const { accountId } = await accounts.ensure(name);
  for (const environment of ENVIRONMENTS) {
    const writer = {
      accountId,
      accountName: name,
      environment,
      keyId: 0,
      actor: { keyId: null, name: "test", requestId: null },
      tokenKeyId: "none",
      scope: "admin",
    } as const;
    await dataSources.create(writer, "sales", "Sales database");
    await dataSources.create(writer, "support", "Support database");
  }
  return {
    accountId,
    name,
    async createKey({ environment = "Customer", scope = "admin", expiresAt } = {}) {
      const key = { environment, scope, name: "test", expiresAt: expiresAt ?? null };
      const { secret, apiKey } = await accounts.createKey({ accountId }, key);
      return { secret, id: apiKey.id };
    },
  };
}

/** Options that tests give in another form, or not at all. */
type OwnOptions =
  | "eventStreams"
  | "rateLimits"
  | "speed"
  | "limits"
  | "connectionLimits"
  | "persistedQueries"
  | "target"
  | "onStatement"
  | "listen"
  | "log"
  | "telemetry";

/** Options of the database, the services and the HTTP server, where they differ from those of `startTestService`. */
export interface TestServiceOptions
  extends Partial<Omit<DatabaseOptions & ServiceOptions & HttpOptions, OwnOptions>> {
  readonly limits?: Partial<OperationLimits>;
  readonly rateLimits?: Partial<RateLimitOptions>;
  readonly eventStreams?: Partial<EventStreamLimits>;
  readonly speed?: Partial<SpeedOptions>;
  readonly connectionLimits?: Partial<ConnectionLimits>;
  /** The persisted queries, by ID. */
  readonly persistedQueries?: Readonly<Record<string, string>>;
  /** The key that encrypts tokens; random by default. */
  readonly encryptionKey?: Buffer;
  /** Previous encryption keys. */
  readonly formerKeys?: readonly Buffer[];
  /** Where to listen for changes, if not on the same database. */
  readonly listenTarget?: DatabaseOptions["target"];
  /** A database to use instead of a copy of the migrated template. */
  readonly use?: Pick<TestDatabase, "target" | "owner">;
  /** Connect as a superuser, so that statements alone keep tenants apart. */
  readonly bypassRowSecurity?: boolean;
}

/** An untyped row. */
type Row = ReturnType<typeof JSON.parse>;

/** The whole service on a new database, listening on a free port. */
export interface TestService {
  readonly url: string;
  readonly target: DatabaseOptions["target"];
  readonly owner: DatabaseOptions["target"];
  readonly database: Database;
  /** Runs a statement as a superuser, who bypasses row-level security. */
  query(text: string, values?: readonly unknown[]): Promise<Row[]>;
  readonly services: Services;
  readonly server: FastifyInstance;
  /** The statements executed since `statements` was last emptied, except those that publish changes after the reply. */
  readonly statements: string[];
  /** The lines of the log. */
  readonly log: string[];
  /** Creates an account with two data sources in each environment, `sales` and `support`. */
  createAccount(): Promise<TestAccount>;
  close(): Promise<void>;
}

/** Starts the service for a test file or `describe` block, which ends with it. */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService(options);
  afterAll(() => service.close());
  return service;
}

/** Starts the service until it is closed. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const testDatabase = options.use ? undefined : await createTestDatabase();
  const used = options.use ?? testDatabase;
  if (!used) throw new Error("There is no database.");
  const { owner } = used;
  const target = options.bypassRowSecurity ? owner : used.target;
  const administration = new Pool(clientOptions(owner));
  // Some tests stop the server.
  administration.on("error", () => undefined);
  const isFast = inject("isFast");
  const telemetry = countOnly();
  const statements: string[] = [];
  const log: string[] = [];
  const connectTimeoutMs = options.connectTimeoutMs ?? 10_000;
  const database = await Database.connect({
    poolSize: 10,
    queueSize: 1000,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 5_000,
    ...options,
    connectTimeoutMs,
    target,
    telemetry,
    onStatement(text) {
      if (text !== NOTIFY_CHANGES.text) statements.push(text);
    },
  });
  const { encryptionKey = randomBytes(32), formerKeys = [] } = options;
  for (const key of [encryptionKey, ...formerKeys]) recordSecret("an encryption key", key);
  const vault = new TokenVault([encryptionKey, ...formerKeys], isFast ? 1000 : 0);
  const trustedProxies = options.trustedProxies ?? [];
  const services = createServices(database, vault, {
    tokenGraceSeconds: 0,
    auditEmbedSessions: false,
    webhooks: { allowPrivate: false },
    ...options,
    trustedProxies,
    telemetry,
    listen: { target: options.listenTarget ?? target, connectTimeoutMs },
    eventStreams: { ...DEFAULT_EVENT_STREAM_LIMITS, ...options.eventStreams },
    rateLimits: {
      windowSeconds: 60,
      maxCost: 0,
      maxAuthFailures: 1000,
      sharedLimiters: undefined,
      ...options.rateLimits,
    },
    speed: { batchStatements: isFast, keyCacheMs: isFast ? 500 : 0, ...options.speed },
  });
  const { persistedQueries } = options;
  const server = await createHttpServer(services, {
    version: await packageVersion(),
    corsOrigins: [],
    compileAfter: isFast ? 0 : Number.POSITIVE_INFINITY,
    fastPath: isFast,
    introspection: true,
    subgraph: false,
    playground: true,
    apiDocs: true,
    securityContact: undefined,
    pagesDirectory: "/nonexistent",
    console: false,
    docsDirectory: undefined,
    requestTimeoutMs: 30_000,
    isShuttingDown: () => false,
    demoKey: () => undefined,
    ...options,
    trustedProxies,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    // On a busy machine, the event loop of a test is late however little it does.
    connectionLimits: { ...DEFAULT_CONNECTION_LIMITS, maxEventLoopDelayMs: 0, ...options.connectionLimits },
    persistedQueries: persistedQueries && new PersistedQueries(new Map(Object.entries(persistedQueries))),
    log: {
      level: "info",
      stream: {
        write(line) {
          log.push(line);
          recordLog(line);
        },
      },
      successesPerSecond: 1000,
    },
  });
  const countTasks = isOnCitus() ? recordTasks(database) : undefined;
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    target,
    owner,
    database,
    query: async (text, values = []) => (await administration.query(text, [...values])).rows,
    services,
    server,
    statements,
    log,
    createAccount: () => createAccount(services),
    async close() {
      await services.webhookDispatcher.stop();
      await services.purgeJob.stop();
      const counts = (await countTasks?.()) ?? [];
      // Clients keep connections open that are no longer used.
      server.server.closeAllConnections();
      await server.close();
      await services.changes.close();
      await database.close();
      await administration.end();
      await testDatabase?.drop();
      // Only operators read across accounts.
      for (const { statement, scope, tasks } of counts)
        if (scope !== "operator") expect(tasks, `shards of ${statement}`).toBeLessThanOrEqual(1);
    },
  };
}
