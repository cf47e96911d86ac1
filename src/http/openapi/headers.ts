import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from "../../domain/requests/idempotency-key.js";
import { RATE_LIMIT_HEADERS } from "../../domain/requests/rate-limit-headers.js";
import { READ_CONSISTENCIES } from "../../domain/requests/read-consistency.js";

const text = { type: "string" } as const;
const wholeNumber = { type: "integer", minimum: 0 } as const;

type RateLimitHeader = (typeof RATE_LIMIT_HEADERS)[number];

const RATE_LIMITS: Readonly<Record<RateLimitHeader, object>> = {
  "RateLimit-Limit": {
    description: "How many points the API key, or the address without one, has in a window.",
    schema: { ...wholeNumber, examples: [600] },
  },
  "RateLimit-Remaining": {
    description: "How many points are left.",
    schema: { ...wholeNumber, examples: [597] },
  },
  "RateLimit-Reset": {
    description: "In how many seconds all of them are there again.",
    schema: { ...wholeNumber, examples: [42] },
  },
  "RateLimit-Policy": {
    description: "The limit as a structured field: `q` points in `w` seconds.",
    schema: { ...text, examples: ['"requests";q=600;w=60'] },
  },
  RateLimit: {
    description: "What is left as a structured field: `r` points, all of them in `t` seconds.",
    schema: { ...text, examples: ['"requests";r=597;t=42'] },
  },
};

/** All documented response headers. */
export const HEADERS = {
  "X-Request-Id": {
    description:
      "The id of the request, also in the log and the audit log: your own `X-Request-Id` where it is harmless, else a new one.",
    required: true,
    schema: { ...text, examples: ["0b5c1f9e-3f0f-4c55-9a0b-6c7a1f0e7a55"] },
  },
  "Cache-Control": {
    description: "Whether the reply may be kept, and by whom.",
    required: true,
    schema: { ...text, examples: ["no-store"] },
  },
  ...RATE_LIMITS,
  "Retry-After": {
    description: "After how many seconds a repetition makes sense.",
    schema: { ...wholeNumber, examples: [1] },
  },
  "WWW-Authenticate": {
    description: "The scheme that the Authorization header must have.",
    required: true,
    schema: { ...text, examples: ['Token realm="user-groups"'] },
  },
  [REPLAYED_HEADER]: {
    description: "Says that this is the stored reply of an earlier request with the same `Idempotency-Key`.",
    schema: { ...text, enum: ["true"] },
  },
  ETag: {
    description: "Tells this content from others, for `If-None-Match`.",
    required: true,
    schema: { ...text, pattern: '^"[A-Za-z0-9_-]{43}"$' },
  },
  Vary: {
    description: "The header of the request on which the reply depends.",
    schema: { ...text, examples: ["authorization"] },
  },
  "Site-Config-Revision": {
    description: "The number of the revision.",
    required: true,
    schema: { type: "integer", minimum: 1, examples: [2] },
  },
  Allow: {
    description: "The methods that there are.",
    required: true,
    schema: { ...text, examples: ["GET, HEAD, OPTIONS"] },
  },
  "Access-Control-Allow-Origin": {
    description: "Lets scripts of every page read the reply.",
    schema: { ...text, enum: ["*"] },
  },
  "Access-Control-Expose-Headers": {
    description: "The headers that scripts of pages may read.",
    schema: text,
  },
  "Access-Control-Allow-Methods": {
    description: "The methods that scripts of pages may use.",
    required: true,
    schema: text,
  },
  "Access-Control-Allow-Headers": {
    description: "The headers that scripts of pages may send.",
    required: true,
    schema: text,
  },
  "Access-Control-Max-Age": {
    description: "For how many seconds this may be remembered.",
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
    "A new text for each rotation. A repetition of the request with the same one, within 24 hours, does nothing and gets the first one's reply.",
  schema: { ...text, pattern: "^[\\x20-\\x7e]{1,255}$" },
} as const;

/** The X-Read-Consistency header as a parameter. */
export const READ_CONSISTENCY_PARAMETER = {
  name: "X-Read-Consistency",
  in: "header",
  description:
    "`strong` reads all that was written before; `eventual` may be told what a read replica has. The service's `READ_CONSISTENCY` unless you say it.",
  schema: { ...text, enum: READ_CONSISTENCIES },
} as const;

/** The X-Request-Id header as a parameter. */
export const REQUEST_ID_PARAMETER = {
  name: "X-Request-Id",
  in: "header",
  description: "Your own id of the request, which the reply, the log and the audit log then have.",
  schema: { ...text, pattern: "^[\\w.:/+=-]{1,128}$" },
} as const;
