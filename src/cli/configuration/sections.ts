import type { UserGroupsClient } from "@user-groups/client";
import { urlOf } from "../../domain/session-templates/template.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import type { Entries } from "./file-format.js";

/** Items per request of a list. */
const PAGE_SIZE = 250;

/** An object of the environment: what a file says of it, and its changes, which fail if it was changed since it was read. */
export interface StoredEntry<Entry> {
  readonly entry: Entry;
  readonly update: (wanted: Entry) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
}

/** A section of the file and the calls that read and write its objects. */
export interface Section<Entry> {
  /** Such as "data source". */
  readonly noun: string;
  readonly keyOf: (entry: Entry) => string;
  readonly read: () => Promise<readonly StoredEntry<Entry>[]>;
  readonly create: (entry: Entry) => Promise<unknown>;
  /** Whether a change of the object needs its secret, which is never compared. */
  readonly needsSecret?: (wanted: Entry, former: Entry | undefined) => boolean;
}

export type Sections = { readonly [Name in keyof Entries]: Section<Entries[Name]> };

export interface SectionOptions {
  /** Returns the value of an environment variable with a secret. */
  readonly secretOf: (variable: string) => string;
  /** Receives the signing secret of a new endpoint, which cannot be read later. */
  readonly onNewSecret: (endpoint: string, secret: string) => void;
  /** Whether to send the secrets of all templates. */
  readonly setSecrets: boolean;
}

/** Returns the sections in the order in which objects are created. */
export function sectionsOf(client: UserGroupsClient, options: SectionOptions): Sections {
  return {
    dataSources: dataSources(client),
    sessionTemplates: sessionTemplates(client, options),
    webhookEndpoints: webhookEndpoints(client, options),
    propertySchema: propertySchema(client),
    sites: sites(client),
  };
}

function dataSources(client: UserGroupsClient): Section<Entries["dataSources"]> {
  return {
    noun: "data source",
    keyOf: ({ providedId }) => providedId,
    read: () =>
      collect(client.dataSources.list({ pageSize: PAGE_SIZE }), async ({ providedId, name, version }) => ({
        entry: { providedId, name },
        update: (wanted) =>
          client.dataSources.update({ by: { providedId }, expectedVersion: version, name: wanted.name }),
        remove: () => client.dataSources.delete({ providedId }, { expectedVersion: version }),
      })),
    create: (entry) => client.dataSources.create(entry),
  };
}

function sessionTemplates(
  client: UserGroupsClient,
  { secretOf, setSecrets }: SectionOptions,
): Section<Entries["sessionTemplates"]> {
  type Template = Entries["sessionTemplates"];
  const needsSecret = ({ algorithm, url }: Template, former: Template | undefined) =>
    algorithm === "HS256" &&
    (setSecrets ||
      former?.algorithm !== "HS256" ||
      // The service asks for the secret again before tokens go to another origin.
      (url !== null && (former.url === null || originOf(url) !== originOf(former.url))));
  const secretFields = ({ secret }: Template) =>
    secret && { secret: secretOf(secret.env), secretEncoding: secret.encoding };
  return {
    noun: "session template",
    keyOf: ({ name }) => name,
    needsSecret,
    read: () =>
      collect(client.sessionTemplates.list(), async ({ hasSecret, version, ...template }) => {
        const { name, description, algorithm, header, claims, lifetimeSeconds, url } = template;
        const secret = {
          env: `SECRET_${name.toUpperCase().replaceAll("-", "_")}`,
          encoding: "TEXT" as const,
        };
        const entry: Template = {
          ...{ name, description, algorithm, header, claims, lifetimeSeconds, url },
          ...(hasSecret && { secret }),
        };
        return {
          entry,
          update: ({ name: _, secret, ...wanted }) =>
            client.sessionTemplates.update({
              by: { name },
              expectedVersion: version,
              ...wanted,
              ...(needsSecret({ name, ...wanted }, entry) && secretFields({ name, secret, ...wanted })),
            }),
          remove: () => client.sessionTemplates.delete({ by: { name }, expectedVersion: version }),
        };
      }),
    create: ({ secret, url, ...template }) =>
      client.sessionTemplates.create({
        ...template,
        ...(url !== null && { url }),
        ...secretFields({ ...template, url, secret }),
      }),
  };
}

/** Returns the origin of a template's address; the address itself if it has none, which the service refuses. */
function originOf(url: string): string {
  const address = urlOf(url, "token");
  return URL.canParse(address) ? new URL(address).origin : url;
}

function webhookEndpoints(
  client: UserGroupsClient,
  { onNewSecret }: SectionOptions,
): Section<Entries["webhookEndpoints"]> {
  return {
    noun: "webhook endpoint",
    keyOf: ({ name }) => name,
    read: () =>
      collect(client.webhooks.list(), async ({ id, version, disabledAt, name, url, events }) => ({
        entry: { name, url, events: [...events], enabled: disabledAt === null },
        update: (wanted) => client.webhooks.update({ id, expectedVersion: version, ...wanted }),
        remove: () => client.webhooks.delete(id, { expectedVersion: version }),
      })),
    create: async (entry) => {
      const { secret } = await client.webhooks.create(entry);
      onNewSecret(entry.name, secret);
    },
  };
}

/** The one schema of the environment, which is neither created nor deleted: a file removes it with null. */
function propertySchema(client: UserGroupsClient): Section<Entries["propertySchema"]> {
  const set = (wanted: Entries["propertySchema"], expectedVersion?: number) =>
    client.propertySchema.set({ ...wanted, expectedVersion });
  return {
    noun: "schema for",
    keyOf: () => "properties",
    read: async () => {
      const { schema, mode, version } = await client.propertySchema.get();
      const none = { schema: null, mode: "OFF" } as const;
      const remove = () => set(none, version);
      return [{ entry: { mode, schema }, update: (wanted) => set(wanted, version), remove }];
    },
    create: (entry) => set(entry, 0),
  };
}

function sites(client: UserGroupsClient): Section<Entries["sites"]> {
  const put = ({ name: site, isPublic, text }: Entries["sites"], expectedRevision: number) =>
    client.siteConfigs.put({ site, isPublic, source: { text }, expectedRevision });
  return {
    noun: "site",
    keyOf: ({ name }) => name,
    read: () =>
      collect(client.siteConfigs.list({ pageSize: PAGE_SIZE }), async ({ site }) => {
        const found = await client.siteConfigs.get(site);
        if (!found) throw new OperatorError(`Site ${JSON.stringify(site)} was deleted meanwhile. Try again.`);
        const { isPublic, text, revision } = found;
        return {
          entry: { name: site, isPublic, text },
          update: (wanted) => put(wanted, revision),
          remove: () => client.siteConfigs.delete({ site, expectedRevision: revision }),
        };
      }),
    create: (entry) => put(entry, 0),
  };
}

async function collect<Item, Entry>(
  items: AsyncIterable<Item>,
  toEntry: (item: Item) => Promise<StoredEntry<Entry>>,
): Promise<StoredEntry<Entry>[]> {
  const collected: StoredEntry<Entry>[] = [];
  for await (const item of items) collected.push(await toEntry(item));
  return collected;
}
