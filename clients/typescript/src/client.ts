import { Connection } from "./connection.js";
import { DataSources } from "./data-sources.js";
import type { TypedDocument } from "./document.js";
import { HttpTransport } from "./http-transport.js";
import { type CallOptions, type ClientOptions, readOptions } from "./options.js";
import { SiteConfigs } from "./site-configs.js";
import { follow } from "./subscription.js";
import { UserGroups } from "./user-groups.js";

/** Variables may be left out where a document has none that are required. */
type Arguments<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options];

/** A subscription's options. */
export interface SubscribeOptions extends Omit<CallOptions, "idempotencyKey"> {
  /** Called each time that the subscription stands: what happened while it did not is not told. */
  readonly onConnect?: (() => void) | undefined;
}

/**
 * The client of a user group service, for your server: it holds the API key. One serves a whole process, and needs no closing
 * for it to end.
 */
export class UserGroupsClient {
  readonly userGroups: UserGroups;
  readonly dataSources: DataSources;
  readonly siteConfigs: SiteConfigs;
  readonly #transport: HttpTransport;
  readonly #connection: Connection;

  /** @throws TypeError that names the option which cannot be used */
  constructor(options: ClientOptions) {
    const settings = readOptions(options);
    this.#transport = new HttpTransport(settings);
    this.#connection = new Connection(this.#transport, settings.limits);
    this.userGroups = new UserGroups(this.#connection);
    this.dataSources = new DataSources(this.#connection);
    this.siteConfigs = new SiteConfigs(this.#connection);
  }

  /**
   * Runs a GraphQL query or mutation of your own. What a mutation tells in `userErrors` is part of its result.
   * @throws ApiError when there is an error outside of the data
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
    return this.#connection.run(document, variables, options);
  }

  /**
   * Follows a GraphQL subscription of your own, and connects again whenever the stream breaks.
   * @throws ApiError for what does not pass by itself; ConnectionError when the service stays out of reach
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
    for await (const event of follow(this.#connection, document, variables, options)) {
      if (event.kind === "data") yield event.data;
      else options.onConnect?.();
    }
  }

  /** Closes the connections. Calls under way fail, and so does what is asked for afterwards. */
  close(): void {
    this.#transport.close();
  }
}
