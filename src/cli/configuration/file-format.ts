import type { CreateWebhookEndpointInput } from "@user-groups/client";
import { z } from "zod";
import { MAX_SESSION_SECONDS, MIN_SESSION_SECONDS } from "../../domain/authentication/embed-session.js";
import { SESSION_ALGORITHMS } from "../../domain/session-templates/claims.js";
import { DEFAULT_TEMPLATE_SECONDS, TEMPLATE_NAME } from "../../domain/session-templates/template.js";
import { SCHEMA_MODES } from "../../domain/user-groups/property-schema.js";

// The notation of the file: it is parsed with these types, and docs/reference/environment-file.schema.json is derived from them.

/** Bounds the texts of sites, which may be files of their own. */
const MAX_SITES = 200;

type EventName = NonNullable<CreateWebhookEndpointInput["events"]>[number];

/** A member for each event, so that none is forgotten. */
const EVENTS: { readonly [Name in EventName]: Name } = {
  SITE_CONFIG_PUBLISHED: "SITE_CONFIG_PUBLISHED",
  USER_GROUP_CREATED: "USER_GROUP_CREATED",
  USER_GROUP_DELETED: "USER_GROUP_DELETED",
  USER_GROUP_TOKEN_ROTATED: "USER_GROUP_TOKEN_ROTATED",
  USER_GROUP_UPDATED: "USER_GROUP_UPDATED",
  WEBHOOK_ENDPOINT_DISABLED: "WEBHOOK_ENDPOINT_DISABLED",
  WEBHOOK_ENDPOINT_TEST: "WEBHOOK_ENDPOINT_TEST",
};

const name = z.string().min(1).max(255);

const dataSource = z.strictObject({
  providedId: name.describe("The external ID, which identifies the data source."),
  name,
});

const secret = z
  .strictObject({
    env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .describe("The environment variable with the secret."),
    encoding: z.enum(["TEXT", "BASE64"]).default("TEXT"),
  })
  .describe("Where `config apply` finds the secret of the dashboard tool, with HS256 only.");

const sessionTemplate = z
  .strictObject({
    name: z.string().regex(TEMPLATE_NAME),
    description: z.string().default(""),
    algorithm: z.enum(SESSION_ALGORITHMS),
    header: z.looseObject({}).default({}),
    claims: z.looseObject({}),
    lifetimeSeconds: z
      .int()
      .min(MIN_SESSION_SECONDS)
      .max(MAX_SESSION_SECONDS)
      .default(DEFAULT_TEMPLATE_SECONDS),
    url: z.string().nullable().default(null),
    secret: secret.optional(),
  })
  .refine(({ algorithm, secret }) => (algorithm === "HS256") === (secret !== undefined), {
    path: ["secret"],
    error: "is required with HS256, and must be omitted with ES256",
  });

const webhookEndpoint = z.strictObject({
  name: name.describe("The name, which identifies the endpoint: it must be unique."),
  url: z.url({ normalize: true }).regex(/^[^#]*$/, { error: "must have no fragment" }),
  events: z.array(z.enum(EVENTS)).default([]).describe("The events that are sent; all if empty."),
  enabled: z.boolean().default(true),
});

const propertySchema = z.strictObject({
  mode: z.enum(SCHEMA_MODES).describe("What happens to properties that violate the schema."),
  schema: z.looseObject({}).nullable().describe("A JSON Schema; null for none, with the mode OFF."),
});

const site = z
  .strictObject({
    name: z.string().min(1).max(64),
    isPublic: z.boolean().default(false).describe("Whether anyone can read the site over HTTP."),
    text: z.string().optional().describe("The text of the site's document."),
    file: z.string().optional().describe("The file with the text, in or below the folder of this file."),
  })
  .refine(({ text, file }) => (text === undefined) !== (file === undefined), {
    path: ["text"],
    error: "or `file` is required, but not both",
  });

/** The sections of a file. A section that is absent is not compared, and nothing of it is deleted. */
export const environmentFile = z
  .strictObject({
    $schema: z.string().optional().describe("The address of this JSON Schema, for editors."),
    version: z.literal(1),
    dataSources: uniqueList(dataSource, "providedId").optional(),
    sessionTemplates: uniqueList(sessionTemplate, "name").optional(),
    webhookEndpoints: uniqueList(webhookEndpoint, "name").optional(),
    propertySchema: propertySchema.optional(),
    sites: uniqueList(site, "name", MAX_SITES).optional(),
  })
  .meta({
    title: "An environment as a file",
    description: "The configuration of an environment, for `config plan` and `config apply`.",
  });

/** A parsed file. */
export type EnvironmentFile = z.output<typeof environmentFile>;

/** A file as it is written. */
export type EnvironmentFileInput = z.input<typeof environmentFile>;

/** The entries of each section. */
export interface Entries {
  readonly dataSources: z.output<typeof dataSource>;
  readonly sessionTemplates: z.output<typeof sessionTemplate>;
  readonly webhookEndpoints: z.output<typeof webhookEndpoint>;
  readonly propertySchema: z.output<typeof propertySchema>;
  readonly sites: { readonly name: string; readonly isPublic: boolean; readonly text: string };
}

/** Returns the JSON Schema of the file, for editors. */
export function environmentFileSchema(): object {
  return z.toJSONSchema(environmentFile, { io: "input" });
}

/** A list in which each key occurs once. */
function uniqueList<Item extends z.ZodType<Readonly<Record<Key, string>>>, Key extends string>(
  item: Item,
  key: Key,
  maxItems?: number,
) {
  const list = maxItems === undefined ? z.array(item) : z.array(item).max(maxItems);
  return list.superRefine((items, context) => {
    const seen = new Set<string>();
    for (const [index, { [key]: value }] of items.entries()) {
      if (seen.has(value))
        context.addIssue({ code: "custom", path: [index, key], message: "is used by an earlier entry" });
      seen.add(value);
    }
  });
}
