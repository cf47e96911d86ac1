import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from "../../domain/requests/idempotency-key.js";
import { RATE_LIMIT_HEADERS } from "../../domain/requests/rate-limit-headers.js";
import { READ_CONSISTENCIES } from "../../domain/requests/read-consistency.js";

const text = { type: "string" } as const;
const wholeNumber = { type: "integer", minimum: 0 } as const;

type RateLimitHeader = (typeof RATE_LIMIT_HEADERS)[number];

const RATE_LIMITS: Readonly<Record<RateLimitHeader, object>> = {
  "RateLimit-Limit": {
    description: "The maximum request cost per window, for the API key or, without one, for the address.",
    schema: { ...wholeNumber, examples: [600] },
  },
  "RateLimit-Remaining": {
    description: "The request cost that remains in the window.",
    schema: { ...wholeNumber, examples: [597] },
  },
  "RateLimit-Reset": {
    description: "The number of seconds until the window ends and the full limit is available again.",
    schema: { ...wholeNumber, examples: [42] },
  },
  "RateLimit-Policy": {
    description: "The limit as a structured field: a cost of `q` per `w` seconds.",
    schema: { ...text, examples: ['"requests";q=600;w=60'] },
  },
  RateLimit: {
    description: "The remaining allowance as a structured field: a cost of `r`, reset in `t` seconds.",
    schema: { ...text, examples: ['"requests";r=597;t=42'] },
  },
};

/** All documented response headers. */
export const HEADERS = {
  "X-Request-Id": {
    description:
      "The request ID, also found in the log and the audit log: the `X-Request-Id` of the request if it is valid, otherwise a new ID.",
    required: true,
    schema: { ...text, examples: ["0b5c1f9e-3f0f-4c55-9a0b-6c7a1f0e7a55"] },
  },
  "Cache-Control": {
    description: "The caching rules for the reply.",
    required: true,
    schema: { ...text, examples: ["no-store"] },
  },
  ...RATE_LIMITS,
  "Retry-After": {
    description: "The number of seconds to wait before a retry.",
    schema: { ...wholeNumber, examples: [1] },
  },
  "WWW-Authenticate": {
    description: "The scheme that the Authorization header must use.",
    required: true,
    schema: { ...text, examples: ['Token realm="user-groups"'] },
  },
  [REPLAYED_HEADER]: {
    description:
      "Indicates that this is the stored reply of an earlier request with the same `Idempotency-Key`.",
    schema: { ...text, enum: ["true"] },
  },
  ETag: {
    description: "The version of the content, for `If-None-Match`.",
    required: true,
    schema: { ...text, pattern: '^"[A-Za-z0-9_-]{43}"$' },
  },
  Vary: {
    description: "The request header on which the reply depends.",
    schema: { ...text, examples: ["authorization"] },
  },
  "Site-Config-Revision": {
    description: "The revision number.",
    required: true,
    schema: { type: "integer", minimum: 1, examples: [2] },
  },
  Allow: {
    description: "The supported methods.",
    required: true,
    schema: { ...text, examples: ["GET, HEAD, OPTIONS"] },
  },
  "Access-Control-Allow-Origin": {
    description: "Allows scripts of all origins to read the reply.",
    schema: { ...text, enum: ["*"] },
  },
  "Access-Control-Expose-Headers": {
    description: "The response headers that scripts of other origins may read.",
    schema: text,
  },
  "Access-Control-Allow-Methods": {
    description: "The methods that scripts of other origins may use.",
    required: true,
    schema: text,
  },
  "Access-Control-Allow-Headers": {
    description: "The request headers that scripts of other origins may send.",
    required: true,
    schema: text,
  },
  "Access-Control-Max-Age": {
    description: "The number of seconds for which browsers may cache this reply.",
    required: true,
    schema: wholeNumber,
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

/** Headers of all responses (decision 11). */
export const COMMON_HEADERS = ["X-Request-Id", "Cache-Control"] as const;
/** Headers of rate-limited responses. */
export const LIMITED_HEADERS = [...COMMON_HEADERS, ...RATE_LIMIT_HEADERS] as const;
/** CORS headers of responses to requests without an API key. */
export const PAGE_HEADERS = ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers"] as const;

/** Returns headers as references to components. */
export function headers(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The Idempotency-Key header as a parameter. */
export const IDEMPOTENCY_KEY_PARAMETER = {
  name: IDEMPOTENCY_KEY_HEADER.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
  in: "header",
  description:
    "A key that identifies this change. If the request is repeated with the same key within 24 hours, nothing changes and the first reply is returned.",
  schema: { ...text, pattern: "^[\\x20-\\x7e]{1,255}$" },
} as const;

/** The X-Read-Consistency header as a parameter. */
export const READ_CONSISTENCY_PARAMETER = {
  name: "X-Read-Consistency",
  in: "header",
  description:
    "`strong` reads include all previous writes; `eventual` reads may be served by a read replica that lags behind. Defaults to the `READ_CONSISTENCY` setting of the service.",
  schema: { ...text, enum: READ_CONSISTENCIES },
} as const;

/** The X-Request-Id header as a parameter. */
export const REQUEST_ID_PARAMETER = {
  name: "X-Request-Id",
  in: "header",
  description:
    "Your ID of the request, which is returned in the reply and recorded in the log and the audit log.",
  schema: { ...text, pattern: "^[\\w.:/+=-]{1,128}$" },
} as const;
