import { isIP } from "node:net";
import { z } from "zod";
import { SCOPES } from "../domain/accounts/caller.js";
import type { RoleRule } from "../domain/authentication/role.js";
import { LOOPBACK_ORIGIN } from "../http/pages/loopback.js";

const KEY_BYTES = 32;

/** An integer from `min` to `max`, both inclusive. */
export function wholeNumber(min: number, max: number, defaultValue: number) {
  return numberText(/^\d{1,10}$/, min, max, "a whole number").default(defaultValue);
}

/** A whole number whose default depends on other settings. */
export function optionalWholeNumber(min: number, max: number) {
  return numberText(/^\d{1,10}$/, min, max, "a whole number").optional();
}

export function flag(defaultValue: boolean) {
  return z
    .enum(["true", "false", "1", "0"], "must be true or false")
    .transform((value) => value === "true" || value === "1")
    .default(defaultValue);
}

export function postgresUrl() {
  return url(isPostgresUrl, "postgres://user:password@host:5432/database");
}

export function redisUrl() {
  return url(isRedisUrl, "redis://user:password@host:6379/0, or rediss:// for TLS");
}

/** A contact URI of `security.txt` (RFC 9116). */
export function contactUri() {
  const isContact = (text: string) => /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(text);
  return url(isContact, "mailto:security@example.com or https://example.com/security");
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
  return listOf(
    (origin, { length }) => isOrigin(origin) || (origin === "*" && length === 1),
    "origins such as https://app.example.com, or *",
  ).transform((origins): readonly string[] | "*" => (origins[0] === "*" ? "*" : origins));
}

/** Comma-separated origins of pages that get a token: HTTPS, except on this machine. The host has no `*` or `;`, which policies would read. */
export function frameOrigins() {
  const isFrameOrigin = (text: string) =>
    /^https?:\/\/[\w.:[\]-]+$/.test(text) &&
    isOrigin(text) &&
    (hasProtocol(text, "https:") || LOOPBACK_ORIGIN.test(text));
  return listOf(isFrameOrigin, "https origins such as https://bi.example.com, or http ones of this machine");
}

/** A number from 0 to 1. */
export function ratio(defaultValue: number) {
  return numberText(/^(?:0|1|[01]?\.\d{1,9})$/, 0, 1, "a number").default(defaultValue);
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

/** The URL of an OpenID Connect provider, or of this service; without TLS on this machine only. */
export function issuerUrl(example = "https://login.example.com") {
  const issuer = /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$))[^@?#\s]*$/;
  return url((text) => URL.canParse(text) && issuer.test(text), example);
}

/** Comma-separated roles `claim:value=account:scope`. Claims and accounts may contain colons. */
export function roleRules() {
  const rule = new RegExp(`^([^=]+):([^:=]+)=([^=]+):(${SCOPES.join("|")})$`);
  const form = "must be roles such as groups:support=demo:embed";
  return z
    .string()
    .transform((text, context) =>
      text.split(",").flatMap((part, index): RoleRule[] => {
        const [, claim = "", value = "", account = "", name] = rule.exec(part.trim()) ?? [];
        const scope = SCOPES.find((each) => each === name);
        if (scope) return [{ claim, value, account, scope }];
        context.addIssue(`${form}, with the scope ${SCOPES.join(", ")}; part ${index + 1} is not`);
        return [];
      }),
    )
    .optional();
}

export function httpUrl() {
  return url((text) => hasProtocol(text, "http:", "https:"), "http://collector:4318");
}

/** The URL of a page that gets a secret in its fragment: HTTPS, except on this machine. */
export function pageUrl() {
  const isPage = (text: string) =>
    !text.includes("#") &&
    (hasProtocol(text, "https:") ||
      (hasProtocol(text, "http:") && LOOPBACK_ORIGIN.test(new URL(text).origin)));
  return url(isPage, "https://app.example.com/preview, or http://localhost:3000, without a fragment");
}

/** A number from `min` to `max` whose text matches `pattern`: other notations that JavaScript reads, such as "1e3", are refused. */
function numberText(pattern: RegExp, min: number, max: number, what: string) {
  const rule = `must be ${what} from ${min} to ${max}`;
  return z
    .string()
    .regex(pattern, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule);
}

/** Comma-separated items; empty by default. */
function listOf(isItem: (item: string, all: readonly string[]) => boolean, items: string) {
  return z
    .string()
    .transform((text) => text.split(",").map((item) => item.trim()))
    .refine((all) => all.every((item) => isItem(item, all)), `must be comma-separated ${items}`)
    .default([]);
}

function url(isValid: (text: string) => boolean, examples: string) {
  return z.string().refine(isValid, `must be a URL such as ${examples}`).optional();
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

function hasProtocol(text: string, ...protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

function isPostgresUrl(text: string): boolean {
  // With a Unix socket in `?host=`, the URL has no host, which pg accepts and URL rejects.
  return hasProtocol(text.replace("@/", "@localhost/"), "postgres:", "postgresql:");
}

function isRedisUrl(text: string): boolean {
  if (!hasProtocol(text, "redis:", "rediss:")) return false;
  const { hostname, pathname } = new URL(text);
  return hostname !== "" && /^\/?\d{0,4}$/.test(pathname);
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
