import { ApiKeys } from "./api-keys.js";
import { Connection } from "./connection.js";
import { DataSources } from "./data-sources.js";
import type { TypedDocument } from "./document.js";
import { HttpTransport } from "./http-transport.js";
import { type CallOptions, type ClientOptions, readOptions } from "./options.js";
import { PropertySchema } from "./property-schema.js";
import { SessionTemplates } from "./session-templates.js";
import { SiteConfigs } from "./site-configs.js";
import { streamSubscription } from "./subscription.js";
import type { Properties } from "./user-group.js";
import { UserGroups } from "./user-groups.js";
import { Webhooks } from "./webhooks.js";

/** Variables are optional if the document requires none. */
type Arguments<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options];

/** Options of a subscription. */
export interface SubscribeOptions extends Omit<CallOptions, "idempotencyKey"> {
  /** Called after each connect. Changes before it were not delivered. */
  readonly onConnect?: (() => void) | undefined;
}

/**
 * Client of the user group service for servers; it holds the API key. Create one per process. Open connections do not keep the
 * process alive.
 * @typeParam Typed your type of the groups' `properties`, such as `user-groups properties types` writes: `new UserGroupsClient<Properties>(…)`
 */
export class UserGroupsClient<Typed extends object = Properties> {
  readonly userGroups: UserGroups<Typed>;
  readonly dataSources: DataSources;
  readonly propertySchema: PropertySchema;
  readonly sessionTemplates: SessionTemplates;
  readonly siteConfigs: SiteConfigs;
  readonly webhooks: Webhooks;
  readonly apiKeys: ApiKeys;
  readonly #transport: HttpTransport;
  readonly #connection: Connection;

  /** @throws TypeError that names the invalid option */
  constructor(options: ClientOptions) {
    const settings = readOptions(options);
    this.#transport = new HttpTransport(settings);
    this.#connection = new Connection(this.#transport, settings);
    this.userGroups = new UserGroups(this.#connection);
    this.dataSources = new DataSources(this.#connection);
    this.propertySchema = new PropertySchema(this.#connection);
    this.sessionTemplates = new SessionTemplates(this.#connection);
    this.siteConfigs = new SiteConfigs(this.#connection);
    this.webhooks = new Webhooks(this.#connection);
    this.apiKeys = new ApiKeys(this.#connection);
  }

  /**
   * Runs your own GraphQL query or mutation. `userErrors` are part of the result.
   * @throws ApiError if the reply has `errors`
   */
  request<Result, Variables>(
    document: TypedDocument<Result, Variables>,
    ...rest: Arguments<NoInfer<Variables>, CallOptions>
  ): Promise<Result>;
  request<Result = unknown>(
    document: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<Result>;
  async request(document: object | string, variables?: unknown, options?: CallOptions): Promise<unknown> {
    return this.#connection.mutate(document, variables, options, (data) => data);
  }

  /**
   * Runs your own GraphQL subscription and reconnects when the stream breaks.
   * @throws ApiError for permanent errors; ConnectionError if the service stays unreachable
   */
  subscribe<Result, Variables>(
    document: TypedDocument<Result, Variables>,
    ...rest: Arguments<NoInfer<Variables>, SubscribeOptions>
  ): AsyncGenerator<Result, void, undefined>;
  subscribe<Result = unknown>(
    document: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: SubscribeOptions,
  ): AsyncGenerator<Result, void, undefined>;
  async *subscribe(
    document: object | string,
    variables?: unknown,
    options: SubscribeOptions = {},
  ): AsyncGenerator<unknown, void, undefined> {
    for await (const event of streamSubscription(this.#connection, document, variables, options)) {
      if (event.kind === "data") yield event.data;
      else options.onConnect?.();
    }
  }

  /** Closes all connections. Calls in progress and later calls fail. */
  close(): void {
    this.#transport.close();
  }
}
