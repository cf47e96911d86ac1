import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { z } from "zod";

const KEY_BYTES = 32;
const MAX_WORKERS = 128;

/** An integer from `min` to `max`, both inclusive. */
export function wholeNumber(min: number, max: number, defaultValue: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,10}$/, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule)
    .default(defaultValue);
}

/** A number of processes; `auto` is the number of cores that this process may use. */
export function workers() {
  const rule = `must be auto or a whole number from 1 to ${MAX_WORKERS}`;
  return z
    .string()
    .regex(/^(?:auto|\d{1,3})$/, rule)
    .transform((value) => (value === "auto" ? Math.min(availableParallelism(), MAX_WORKERS) : Number(value)))
    .refine((value) => value >= 1 && value <= MAX_WORKERS, rule)
    .default(1);
}

export function flag(defaultValue: boolean) {
  return z
    .enum(["true", "false", "1", "0"], "must be true or false")
    .transform((value) => value === "true" || value === "1")
    .default(defaultValue);
}

export function postgresUrl() {
  return z
    .string()
    .refine(isPostgresUrl, "must be a URL such as postgres://user:password@host:5432/database")
    .optional();
}

export function postgresUrls() {
  return listOf(isPostgresUrl, "URLs such as postgres://user:password@host:5432/database");
}

export function redisUrl() {
  return z
    .string()
    .refine(isRedisUrl, "must be a URL such as redis://user:password@host:6379/0, or rediss:// for TLS")
    .optional();
}

/** A contact URI of `security.txt` (RFC 9116). */
export function contactUri() {
  const rule = "must be a URL such as mailto:security@example.com or https://example.com/security";
  return z
    .string()
    .regex(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, rule)
    .optional();
}

/** Comma-separated addresses and networks. */
export function proxyList() {
  return listOf(isNetwork, "addresses or networks such as 10.0.0.0/8");
}

/** Comma-separated keys of 32 bytes in base64. */
export function encryptionKeys() {
  return z.string().transform(readKeys).optional();
}

/** Comma-separated origins, or `*` for all. */
export function originList() {
  const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text;
  return listOf(
    (origin, { length }) => isOrigin(origin) || (origin === "*" && length === 1),
    "origins such as https://app.example.com, or *",
  ).transform((origins): readonly string[] | "*" => (origins[0] === "*" ? "*" : origins));
}

/** A number from 0 to 1. */
export function ratio(defaultValue: number) {
  const rule = "must be a number from 0 to 1";
  return z
    .string()
    .regex(/^(?:0|1|[01]?\.\d{1,9})$/, rule)
    .transform(Number)
    .refine((value) => value <= 1, rule)
    .default(defaultValue);
}

/** A bearer token that is hard to guess and valid in a header. */
export function bearerToken() {
  return z
    .string()
    .regex(
      /^[\x21-\x7e]{16,512}$/,
      "must be 16 to 512 visible ASCII characters (create one with: openssl rand -hex 32)",
    )
    .optional();
}

export function httpUrl() {
  return z.string().refine(isHttpUrl, "must be a URL such as http://collector:4318").optional();
}

/** Comma-separated pairs such as `key=value`, the values percent-encoded, as OpenTelemetry specifies. */
export function keyValueList() {
  return z.string().transform(readPairs).default({});
}

/** Comma-separated items; empty by default. */
function listOf(isItem: (item: string, all: readonly string[]) => boolean, items: string) {
  return z
    .string()
    .transform((text) => text.split(",").map((item) => item.trim()))
    .refine((all) => all.every((item) => isItem(item, all)), `must be comma-separated ${items}`)
    .default([]);
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}

function readPairs(text: string, context: z.RefinementCtx): Readonly<Record<string, string>> {
  const pairs = text.split(",").map((pair) => /^\s*([\w.-]+)\s*=\s*(.*?)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const [, key, value] = pair ?? [];
        if (key === undefined || value === undefined) throw new URIError("Not a pair.");
        return [key, decodeURIComponent(value)];
      }),
    );
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    context.addIssue({ code: "custom", message: "must be comma-separated pairs such as key=value" });
    return z.NEVER;
  }
}

function isPostgresUrl(text: string): boolean {
  // With a Unix socket in `?host=`, the URL has no host, which pg accepts and URL rejects.
  const url = text.replace("@/", "@localhost/");
  return URL.canParse(url) && ["postgres:", "postgresql:"].includes(new URL(url).protocol);
}

function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return ["redis:", "rediss:"].includes(protocol) && hostname !== "" && /^\/?\d{0,4}$/.test(pathname);
}

function isNetwork(text: string): boolean {
  const [, address = "", prefix = "1"] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const maxPrefix = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return Number(prefix) >= 1 && Number(prefix) <= maxPrefix;
}

function readKeys(text: string, context: z.RefinementCtx): readonly [Buffer, ...Buffer[]] {
  const [first, ...rest] = text.split(",").map((part) => Buffer.from(part.trim(), "base64"));
  if (first === undefined || [first, ...rest].some((key) => key.length !== KEY_BYTES)) {
    context.addIssue({
      code: "custom",
      message: `must be one or more comma-separated keys of ${KEY_BYTES} bytes in base64 (create one with: openssl rand -base64 ${KEY_BYTES})`,
    });
    return z.NEVER;
  }
  return [first, ...rest];
}
