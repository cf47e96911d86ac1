import { randomBytes, randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { Pool } from "pg";
import { inject } from "vitest";
import { packageVersion } from "../../../src/app/package-version.js";
import type { Scope } from "../../../src/domain/accounts/caller.js";
import { ENVIRONMENTS, type Environment } from "../../../src/domain/accounts/environment.js";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import {
  DEFAULT_EVENT_STREAM_LIMITS,
  type EventStreamLimits,
} from "../../../src/domain/requests/event-stream-limits.js";
import { TrustedDocuments } from "../../../src/graphql/server/trusted-documents.js";
import { DEFAULT_LIMITS, type OperationLimits } from "../../../src/graphql/shared/operation-limits.js";
import {
  type ConnectionLimits,
  DEFAULT_CONNECTION_LIMITS,
} from "../../../src/http/server/connection-limits.js";
import { createHttpServer } from "../../../src/http/server/http-server.js";
import { Database } from "../../../src/persistence/database/database.js";
import type { ReadReplicas } from "../../../src/persistence/database/read-replicas.js";
import { clientOptions, type DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import {
  createServices,
  type RateLimitOptions,
  type ServiceOptions,
  type Services,
  type SpeedOptions,
} from "../../../src/services/services.js";
import { countOnly } from "../../../src/telemetry/telemetry.js";
import { createTestDatabase, type TestDatabase } from "../postgres/test-database.js";
import { recordLog, recordSecret } from "../secrets/run-record.js";

export interface TestServiceOptions {
  readonly tokenGraceSeconds?: number;
  readonly corsOrigins?: readonly string[] | "*";
  readonly introspection?: boolean;
  readonly playground?: boolean;
  readonly apiDocs?: boolean;
  /** Where the playground and the page of the REST API were built; see `builtPages`. */
  readonly pagesDirectory?: string;
  /** Where the console was built; there is none unless told. */
  readonly consoleDirectory?: string;
  /** The API key that the playground begins with. */
  readonly demoKey?: () => string | undefined;
  /** Limits other than the default ones. */
  readonly limits?: Partial<OperationLimits>;
  readonly rateLimits?: Partial<RateLimitOptions>;
  readonly eventStreams?: Partial<EventStreamLimits>;
  /** What to turn off of what makes the service fast. */
  readonly speed?: Partial<SpeedOptions>;
  readonly trustedProxies?: readonly string[];
  /** Limits of connections other than the default ones. */
  readonly connectionLimits?: Partial<ConnectionLimits>;
  /** The only documents that run, by their ids. */
  readonly trustedDocuments?: Readonly<Record<string, string>>;
  /** The key that encrypts tokens; a random one unless told otherwise. */
  readonly encryptionKey?: Buffer;
  /** Keys under which tokens were encrypted before. */
  readonly formerKeys?: readonly Buffer[];
  readonly poolSize?: number;
  readonly queueSize?: number;
  readonly requestTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  /** Whether a pooler in transaction mode stands between. */
  readonly pooled?: boolean;
  /** Where reads may come from; whoever hands them over looks after them. */
  readonly replicas?: ReadReplicas;
  /** Where to listen for changes, if not at the database that is used. */
  readonly listenTarget?: DatabaseOptions["target"];
  /** Where webhooks may go, and how patient their delivery is; public addresses only, and nothing is delivered, unless told. */
  readonly webhooks?: ServiceOptions["webhooks"];
  /** When rows that are no longer needed are removed, once purges are started. */
  readonly purges?: ServiceOptions["purges"];
  /** A database to use instead of a copy of the migrated template. */
  readonly use?: Pick<TestDatabase, "target" | "owner">;
}

/** A row: tests know what they asked for. */
type Row = ReturnType<typeof JSON.parse>;

/** The whole service on a database of its own, listening on a port of its own. */
export interface TestService {
  readonly url: string;
  readonly target: DatabaseOptions["target"];
  readonly owner: DatabaseOptions["target"];
  readonly database: Database;
  /** Runs a statement as a superuser, for whom row level security does not hold. */
  query(text: string, values?: readonly unknown[]): Promise<Row[]>;
  readonly services: Services;
  readonly server: FastifyInstance;
  /** The statements that ran since `statements` was last emptied. */
  readonly statements: string[];
  /** The lines of the log. */
  readonly log: string[];
  /** Creates an account with two data sources in each environment, `sales` and `support`. */
  createAccount(): Promise<TestAccount>;
  close(): Promise<void>;
}

export interface TestAccount {
  readonly accountId: number;
  readonly name: string;
  /** Makes an API key: Customer and admin unless told otherwise. */
  createKey(options?: {
    readonly environment?: Environment;
    readonly scope?: Scope;
    readonly expiresAt?: Date;
  }): Promise<{ readonly secret: string; readonly id: number }>;
}

/** Starts the service for a test file. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const testDatabase = options.use ? undefined : await createTestDatabase();
  const used = options.use ?? testDatabase;
  if (!used) throw new Error("There is no database.");
  const { target, owner } = used;
  const administration = new Pool(clientOptions(owner));
  // Some tests stop the server.
  administration.on("error", () => undefined);
  const isFast = inject("isFast");
  const telemetry = countOnly();
  const statements: string[] = [];
  const log: string[] = [];
  const { connectTimeoutMs = 10_000 } = options;
  const database = await Database.connect({
    target,
    poolSize: options.poolSize ?? 10,
    queueSize: options.queueSize ?? 1000,
    connectTimeoutMs,
    statementTimeoutMs: options.statementTimeoutMs ?? 10_000,
    lockTimeoutMs: options.lockTimeoutMs ?? 5_000,
    pooled: options.pooled ?? false,
    onStatement: (text) => statements.push(text),
    telemetry,
  });
  const { encryptionKey = randomBytes(32), formerKeys = [] } = options;
  for (const key of [encryptionKey, ...formerKeys]) recordSecret("an encryption key", key);
  const vault = new TokenVault([encryptionKey, ...formerKeys], isFast ? 1000 : 0);
  const services = createServices(database, vault, {
    telemetry,
    tokenGraceSeconds: options.tokenGraceSeconds ?? 0,
    listen: { target: options.listenTarget ?? target, connectTimeoutMs },
    eventStreams: { ...DEFAULT_EVENT_STREAM_LIMITS, ...options.eventStreams },
    trustedProxies: options.trustedProxies ?? [],
    rateLimits: {
      windowSeconds: 60,
      maxCost: 0,
      authFailures: 1000,
      shared: undefined,
      ...options.rateLimits,
    },
    reads: { consistency: "strong", replicas: options.replicas },
    speed: { collect: isFast, keyCacheMs: isFast ? 500 : 0, ...options.speed },
    webhooks: options.webhooks ?? { allowPrivate: false },
    ...(options.purges && { purges: options.purges }),
  });
  const { trustedDocuments } = options;
  const server = await createHttpServer(services, {
    version: await packageVersion(),
    corsOrigins: options.corsOrigins ?? [],
    compileAfter: isFast ? 0 : Number.POSITIVE_INFINITY,
    fastPath: isFast,
    introspection: options.introspection ?? true,
    playground: options.playground ?? true,
    apiDocs: options.apiDocs ?? true,
    pagesDirectory: options.pagesDirectory ?? "",
    consoleDirectory: options.consoleDirectory,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    isShuttingDown: () => false,
    demoKey: options.demoKey ?? (() => undefined),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    trustedProxies: options.trustedProxies ?? [],
    connectionLimits: { ...DEFAULT_CONNECTION_LIMITS, ...options.connectionLimits },
    trustedDocuments: trustedDocuments && new TrustedDocuments(new Map(Object.entries(trustedDocuments))),
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
      await services.purges.stop();
      // Clients keep theirs, and nobody uses them any more.
      server.server.closeAllConnections();
      await server.close();
      await services.changes.close();
      await services.siteConfigThread.close();
      await database.close();
      await administration.end();
      await testDatabase?.drop();
    },
  };
}

async function createAccount({ accounts, dataSources }: Services): Promise<TestAccount> {
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
