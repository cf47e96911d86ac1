import { parseSessionLifetime } from "../authentication/embed-session.js";
import { type FieldPath, invalidField } from "../shared/errors.js";
import { parseFields } from "../shared/field-parsing.js";
import { isObject, type JsonObject } from "../shared/json.js";
import type { ListOrder, Sortable } from "../shared/pagination.js";
import { parseText, requireStorable } from "../shared/text-field.js";
import { parseClaims, type SessionAlgorithm } from "./claims.js";

/** Maximum templates of an environment (decision 60). */
export const MAX_SESSION_TEMPLATES = 50;

export const DEFAULT_TEMPLATE_SECONDS = 600;

/** Limits of a secret in bytes: what dashboard tools issue, and what HMAC with SHA-256 deserves (RFC 7518, 3.2). */
const MIN_SECRET_BYTES = 16;
const GOOD_SECRET_BYTES = 32;
const MAX_SECRET_BYTES = 1024;

export const TEMPLATE_NAME = /^[a-z0-9-]{1,64}$/;
const MAX_DESCRIPTION_LENGTH = 1000;
const MAX_URL_LENGTH = 2000;

/** How a secret is written: as text, whose UTF-8 bytes sign, or as base64 of the bytes. */
export const SECRET_ENCODINGS = ["text", "base64"] as const;

export type SecretEncoding = (typeof SECRET_ENCODINGS)[number];

/** Constant members of the token's header that a tool asks for. */
export interface TemplateHeader {
  readonly kid?: string;
  readonly iss?: string;
}

/** The fields of a session template that clients set, apart from its secret. */
export interface SessionTemplateFields {
  /** Unique in the environment. */
  readonly name: string;
  readonly description: string;
  readonly algorithm: SessionAlgorithm;
  readonly header: TemplateHeader;
  readonly claims: JsonObject;
  readonly lifetimeSeconds: number;
  /** An https address with `{{ token }}`. */
  readonly url: string | null;
}

/** What a tool's token contains for a group, and who signs it (decision 60). The secret is never returned. */
export interface SessionTemplate extends SessionTemplateFields {
  readonly id: number;
  /** Whether the template has a secret; always false with ES256. */
  readonly hasSecret: boolean;
  /** Incremented by each change. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Identifies one template in the caller's environment. */
export type SessionTemplateRef =
  | { readonly by: "id"; readonly id: number }
  | { readonly by: "name"; readonly name: string };

/** The fields as clients send them. */
export type TemplateInput = { readonly [Field in keyof SessionTemplateFields]?: unknown } & {
  readonly algorithm?: SessionAlgorithm | undefined;
};

/** What a new template has where clients leave fields out. */
export const DEFAULT_TEMPLATE: SessionTemplateFields = {
  name: "",
  description: "",
  algorithm: "ES256",
  header: {},
  claims: {},
  lifetimeSeconds: DEFAULT_TEMPLATE_SECONDS,
  url: null,
};

/**
 * Validates the fields of a template, all together: some depend on the algorithm.
 * @param former the fields that are not sent
 * @throws DomainError `invalid_field` with every invalid field
 */
export function parseTemplate(input: TemplateInput, former: SessionTemplateFields): SessionTemplateFields {
  const { name = former.name, description = former.description, algorithm = former.algorithm } = input;
  const { header = former.header, claims = former.claims, url = former.url } = input;
  const { lifetimeSeconds = former.lifetimeSeconds } = input;
  return parseFields<SessionTemplateFields>({
    name: () => parseTemplateName(name, ["name"]),
    description: () => parseDescription(description, ["description"]),
    algorithm: () => algorithm,
    header: () => parseTemplateHeader(header, ["header"], algorithm),
    claims: () => parseClaims(claims, ["claims"], algorithm),
    lifetimeSeconds: () => parseSessionLifetime(lifetimeSeconds, ["lifetimeSeconds"]),
    url: () => (url === null ? null : parseTemplateUrl(url, ["url"])),
  });
}

/** @throws DomainError `invalid_field` */
export function parseTemplateName(value: unknown, field: FieldPath): string {
  if (typeof value === "string" && TEMPLATE_NAME.test(value)) return value;
  throw invalidField(field, "must have 1 to 64 characters, each one of a to z, 0 to 9 and -");
}

function parseDescription(value: unknown, field: FieldPath): string {
  if (typeof value !== "string" || value.length > MAX_DESCRIPTION_LENGTH)
    throw invalidField(field, `must be a text of at most ${MAX_DESCRIPTION_LENGTH} characters`);
  requireStorable(value, field);
  return value;
}

/** @throws DomainError `invalid_field` for members other than a constant `kid` and `iss` with HS256, and any with ES256 */
function parseTemplateHeader(value: unknown, field: FieldPath, algorithm: SessionAlgorithm): TemplateHeader {
  if (!isObject(value)) throw invalidField(field, "must be a JSON object");
  const header: { kid?: string; iss?: string } = {};
  for (const [name, member] of Object.entries(value)) {
    if (algorithm === "ES256")
      throw invalidField([...field, name], "must be omitted: the service sets it with ES256");
    if (name !== "kid" && name !== "iss")
      throw invalidField([...field, name], "must be omitted: only `kid` and `iss` can be set");
    header[name] = requireConstant(parseText(member, [...field, name]), [...field, name]);
  }
  return header;
}

function requireConstant(text: string, field: FieldPath): string {
  if (!text.includes("{{")) return text;
  throw invalidField(field, "must be constant, without `{{`");
}

const TOKEN_PLACE = /\{\{\s*token\s*\}\}/g;
/** Stands for the token while an address is checked. */
const SAMPLE_TOKEN = "token";

function parseTemplateUrl(value: unknown, field: FieldPath): string {
  if (typeof value !== "string" || value.length > MAX_URL_LENGTH)
    throw invalidField(field, `must be a text of at most ${MAX_URL_LENGTH} characters`);
  requireStorable(value, field);
  if (value.match(TOKEN_PLACE)?.length !== 1)
    throw invalidField(field, "must have `{{ token }}` exactly once");
  const written = urlOf(value, SAMPLE_TOKEN);
  if (/[{}]/.test(written)) throw invalidField(field, "must have no reference but `{{ token }}`");
  const url = URL.canParse(written) ? new URL(written) : null;
  // What is written is what is read: no other spelling, user name or port that hides where the token goes.
  if (url?.protocol !== "https:" || url.href !== written || url.username !== "" || url.password !== "")
    throw invalidField(field, "must be an https address such as `https://bi.example.com/embed/{{ token }}`");
  if (originOf(value) !== originOf(value, "other"))
    throw invalidField(
      field,
      "must have `{{ token }}` behind the host: in the path, the query or the fragment",
    );
  return value;
}

/** Returns the origin of a valid address. */
export function originOf(url: string, token = SAMPLE_TOKEN): string {
  return new URL(urlOf(url, token)).origin;
}

/** Puts a token into the address of a template. */
export function urlOf(url: string, token: string): string {
  return url.replace(TOKEN_PLACE, () => token);
}

/** Parses a secret into its bytes. @throws DomainError `invalid_field` */
export function parseSecret(value: string, encoding: SecretEncoding, field: FieldPath): Buffer {
  if (value.length > 2 * MAX_SECRET_BYTES) throw secretTooLong(field);
  const bytes = Buffer.from(value, encoding === "text" ? "utf8" : "base64");
  if (encoding === "base64" && bytes.toString("base64").replace(/=+$/, "") !== value.replace(/=+$/, ""))
    throw invalidField(field, "must be base64");
  if (!value.isWellFormed()) throw invalidField(field, "must not contain an unpaired surrogate");
  if (bytes.length < MIN_SECRET_BYTES)
    throw invalidField(field, `must have at least ${MIN_SECRET_BYTES} bytes`);
  if (bytes.length > MAX_SECRET_BYTES) throw secretTooLong(field);
  return bytes;
}

function secretTooLong(field: FieldPath) {
  return invalidField(field, `must have at most ${MAX_SECRET_BYTES} bytes`);
}

/** Returns what a reader of the reply should know about a secret. */
export function secretWarnings(secret: Buffer): string[] {
  return secret.length < GOOD_SECRET_BYTES
    ? [
        `The secret has ${secret.length} bytes; ${GOOD_SECRET_BYTES} or more are better, if the tool accepts them.`,
      ]
    : [];
}

export const SESSION_TEMPLATE_ORDER = {
  fields: { name: { property: "name", kind: "text" } },
  default: { field: "name", direction: "ascending" },
} as const satisfies ListOrder<Sortable<SessionTemplate>>;
