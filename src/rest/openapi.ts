import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import { REPLAYED_HEADER } from "../domain/requests/idempotency-key.js";
import { RATE_LIMIT_HEADERS } from "../domain/requests/rate-limit.js";
import { ERRORS, type RestErrorCode } from "../domain/shared/error-catalogue.js";
import { ERROR_BODY } from "./errors.js";
import { COMPONENTS, documentParameters } from "./fields.js";

const text = { type: "string" } as const;
const wholeNumber = { type: "integer", minimum: 0 } as const;
const example = (value: string) => ({ ...text, examples: [value] });
const count = (value: number) => ({ ...wholeNumber, examples: [value] });

const always = (description: string, schema: object) => ({ description, required: true, schema });
const sometimes = (description: string, schema: object) => ({ description, schema });

type RateLimitHeader = (typeof RATE_LIMIT_HEADERS)[number];

const RATE_LIMITS: Readonly<Record<RateLimitHeader, object>> = {
  "RateLimit-Limit": sometimes(
    "The maximum request cost per window, for the API key or, without one, for the address.",
    count(600),
  ),
  "RateLimit-Remaining": sometimes("The request cost that remains in the window.", count(597)),
  "RateLimit-Reset": sometimes(
    "The number of seconds until the window ends and the full limit is available again.",
    count(42),
  ),
  "RateLimit-Policy": sometimes(
    "The limit as a structured field: a cost of `q` per `w` seconds.",
    example('"requests";q=600;w=60'),
  ),
  RateLimit: sometimes(
    "The remaining allowance as a structured field: a cost of `r`, reset in `t` seconds.",
    example('"requests";r=597;t=42'),
  ),
};

/** All documented response headers. */
export const HEADERS = {
  "X-Request-Id": always(
    "The request ID, also found in the log and the audit log: the `X-Request-Id` of the request if it is valid, otherwise a new ID.",
    example("0b5c1f9e-3f0f-4c55-9a0b-6c7a1f0e7a55"),
  ),
  "Cache-Control": always("The caching rules for the reply.", example("no-store")),
  ...RATE_LIMITS,
  "Retry-After": sometimes("The number of seconds to wait before a retry.", count(1)),
  "WWW-Authenticate": always(
    "The schemes that the Authorization header may use here: `Token`, for `/metrics` `Bearer`. GraphQL names the scheme that was sent, and both if there was none.",
    example('Token realm="user-groups"'),
  ),
  [REPLAYED_HEADER]: sometimes(
    "Indicates that this is the stored reply of an earlier request with the same `Idempotency-Key`.",
    { ...text, enum: ["true"] },
  ),
  ETag: always("The version of the content, for `If-Match` or `If-None-Match`.", {
    ...text,
    pattern: '^"[A-Za-z0-9_-]+"$',
  }),
  "Accept-Patch": always("The media type of a patch that the operation takes.", {
    ...text,
    enum: ["application/merge-patch+json"],
  }),
  "Preference-Applied": sometimes("Indicates that the request's `Prefer: handling=strict` was applied.", {
    ...text,
    enum: ["handling=strict"],
  }),
  Vary: sometimes("The request header on which the reply depends.", example("authorization")),
  "Site-Config-Revision": always("The revision number.", { type: "integer", minimum: 1, examples: [2] }),
  Allow: always("The supported methods.", example("GET, HEAD, OPTIONS")),
  "Access-Control-Allow-Origin": sometimes("Allows scripts of all origins to read the reply.", {
    ...text,
    enum: ["*"],
  }),
  "Access-Control-Expose-Headers": sometimes(
    "The response headers that scripts of other origins may read.",
    text,
  ),
  "Access-Control-Allow-Methods": always("The methods that scripts of other origins may use.", text),
  "Access-Control-Allow-Headers": always("The request headers that scripts of other origins may send.", text),
  "Access-Control-Max-Age": always(
    "The number of seconds for which browsers may cache this reply.",
    wholeNumber,
  ),
} as const;

export type HeaderName = keyof typeof HEADERS;

/** Headers of all responses (decision 11). */
export const COMMON_HEADERS = ["X-Request-Id", "Cache-Control"] as const;
/** Headers of rate-limited responses. */
export const LIMITED_HEADERS = [...COMMON_HEADERS, ...RATE_LIMIT_HEADERS] as const;
/** Headers of operations with an API key and a JSON body. */
const OPERATION_HEADERS = [...LIMITED_HEADERS, "Preference-Applied"] as const;
/** CORS headers of responses to requests without an API key. */
export const PAGE_HEADERS = ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers"] as const;

/** Returns headers as references to components. */
export function headers(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns a request header as a parameter. */
export function headerParameter(name: string, description: string, schema: object = text) {
  return { name, in: "header", description, schema: { ...text, ...schema } };
}

export const IDEMPOTENCY_KEY_PARAMETER = headerParameter(
  "Idempotency-Key",
  "A key that identifies this change. If the request is repeated with the same key within 24 hours, nothing changes and the first reply is returned.",
  { pattern: "^[\\x20-\\x7e]{1,255}$" },
);

const PREFER_PARAMETER = headerParameter(
  "Prefer",
  "`handling=strict` (RFC 7240) refuses a body with unknown fields, which are ignored otherwise, and names them in `error.fields`.",
);

const REQUEST_ID_PARAMETER = headerParameter(
  "X-Request-Id",
  "Your ID of the request, which is returned in the reply and recorded in the log and the audit log.",
  { pattern: "^[\\w.:/+=-]{1,128}$" },
);

export const MERGE_PATCH_TYPE = "application/merge-patch+json";
const MAX_LINE = 100;

const ERROR_HEADERS: Partial<Readonly<Record<RestErrorCode, HeaderName>>> = {
  unauthenticated: "WWW-Authenticate",
  rate_limited: "Retry-After",
  unavailable: "Retry-After",
  idempotency_key_in_use: "Retry-After",
};

/** Error codes of all operations with an API key and a JSON body. */
const SHARED_CODES: readonly RestErrorCode[] = [
  "bad_request",
  "invalid_json",
  "invalid_field",
  "unauthenticated",
  "forbidden",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal",
  "unavailable",
];

/** Error codes of requests that may have a body. */
const BODY_CODES: readonly RestErrorCode[] = ["invalid_json", "payload_too_large", "unsupported_media_type"];

/** Examples by name: a value and its summary. */
type Examples = Readonly<Record<string, readonly [value: unknown, summary?: string]>>;

/**
 * Who may call an operation: API keys with a scope that it checks (the default), every API key, every API key and, without one, anyone
 * (such as readers of public sites), or anyone without authentication.
 */
type Access = "scope" | "anyKey" | "optionalKey" | "anyone";

/** The entry of an operation in the OpenAPI document. */
export interface Documentation {
  readonly operationId: string;
  readonly summary: string;
  /** Paragraphs. */
  readonly description: readonly string[];
  readonly access?: Access;
  /** The request headers. */
  readonly parameters?: readonly object[];
  /** The query parameters; undefined if the operation takes none. */
  readonly query?: z.ZodObject;
  /** The JSON body; undefined if the operation takes none. */
  readonly request?: z.ZodObject;
  readonly requestExamples?: Examples;
  /** Of bodies that are sent as a JSON Merge Patch; undefined if the operation takes none. */
  readonly mergePatchExamples?: Examples;
  /** The body is the text of a JSON file, as it is. */
  readonly text?: { readonly description: string; readonly maxBytes: number; readonly example: object };
  /** The reply with status 200; undefined if `responses` has it. */
  readonly reply?: z.ZodType;
  /** The description of the reply. */
  readonly replyDescription?: string;
  readonly replyHeaders?: readonly HeaderName[];
  readonly replyExamples?: Examples;
  /** Responses by status besides the reply and those of error codes. */
  readonly responses?: Readonly<Record<string, object>>;
  /** Headers that every response has besides those of all operations. */
  readonly headers?: readonly HeaderName[];
  /** Error codes besides those of all operations. */
  readonly codes: readonly RestErrorCode[];
}

/** A path in the OpenAPI document. */
export interface PathDocumentation {
  /** With parameters as in `/site-config/:site`. */
  readonly path: string;
  readonly tag: string;
  /** The parameters in the path. */
  readonly params?: z.ZodObject;
  readonly operations: Readonly<Record<string, Documentation>>;
}

/** The error responses that these operations share, as OpenAPI components. */
export function sharedResponses() {
  const responses = Object.entries(errorResponses(SHARED_CODES, OPERATION_HEADERS));
  return Object.fromEntries(responses.map(([status, response]) => [statusName(status), response]));
}

/** Returns the path items of paths. */
export function describePaths(paths: readonly PathDocumentation[]) {
  return Object.fromEntries(
    paths.map(({ path, tag, params, operations }) => [
      path.replaceAll(/:(\w+)/g, "{$1}"),
      {
        parameters: [...documentParameters("path", params), REQUEST_ID_PARAMETER],
        ...Object.fromEntries(
          Object.entries(operations).map(([method, operation]) => {
            const item = { tags: [tag], ...describe(method, operation) };
            return [method, method === "head" ? withoutContent(item) : item];
          }),
        ),
      },
    ]),
  );
}

const SECURITY: Readonly<Record<Access, object>> = {
  scope: {},
  anyKey: {},
  optionalKey: { security: [{ ApiKey: [] }, {}] },
  anyone: { security: [] },
};

function describe(method: string, operation: Documentation) {
  const { operationId, summary, access = "scope", request, reply, replyHeaders = [] } = operation;
  const base = [...headersFor(access, request !== undefined), ...(operation.headers ?? [])];
  return {
    operationId,
    summary,
    description: operation.description.join("\n\n"),
    ...SECURITY[access],
    parameters: [
      ...(request ? [PREFER_PARAMETER] : []),
      ...(operation.parameters ?? []),
      ...documentParameters("query", operation.query),
    ],
    ...describeBody(operation),
    responses: {
      ...(reply && {
        "200": response(
          operation.replyDescription ?? "",
          [...base, ...replyHeaders],
          jsonContent(reply, operation.replyExamples ?? {}),
        ),
      }),
      ...describeErrors(operation, base, sharedCodes(method, access)),
      ...operation.responses,
    },
  };
}

function headersFor(access: Access, takesPreference: boolean): readonly HeaderName[] {
  if (access === "anyone") return COMMON_HEADERS;
  return takesPreference ? OPERATION_HEADERS : LIMITED_HEADERS;
}

/** Returns the error codes that all operations have with this method and these callers. */
function sharedCodes(method: string, access: Access): readonly RestErrorCode[] {
  if (access === "anyone") return ["bad_request"];
  return SHARED_CODES.filter(
    (code) =>
      (code !== "forbidden" || access === "scope") && (method !== "head" || !BODY_CODES.includes(code)),
  );
}

function describeBody({ request, requestExamples, mergePatchExamples, text: file }: Documentation) {
  if (file) {
    const examples = { document: { value: file.example } };
    const content = {
      "application/json": { schema: { type: "object" }, examples },
      "text/plain": { schema: text },
    };
    return { requestBody: { required: true, description: file.description, content } };
  }
  if (!request) return {};
  const content = {
    ...jsonContent(request, requestExamples ?? {}),
    ...(mergePatchExamples && jsonContent(request, mergePatchExamples, MERGE_PATCH_TYPE)),
  };
  return { requestBody: { required: true, content } };
}

/** @param base headers of all responses @param shared error codes besides those of the operation */
function describeErrors(
  { access, codes, headers: further, mergePatchExamples }: Documentation,
  base: readonly HeaderName[],
  shared: readonly RestErrorCode[],
) {
  // A component has neither further headers nor further codes.
  const isComponent = (code: RestErrorCode) =>
    access !== "anyone" &&
    further === undefined &&
    !codes.some((own) => ERRORS[own].status === ERRORS[code].status);
  const statuses = shared.filter(isComponent).map((code) => String(ERRORS[code].status));
  return {
    ...Object.fromEntries(
      statuses.map((status) => [status, { $ref: `#/components/responses/${statusName(status)}` }]),
    ),
    ...errorResponses([...shared.filter((code) => !isComponent(code)), ...codes], base),
    ...(mergePatchExamples && errorResponses(["unsupported_media_type"], [...base, "Accept-Patch"])),
  };
}

/** Returns the responses of HEAD for those of GET. */
function withoutContent<Item extends { readonly responses: Readonly<Record<string, object>> }>(item: Item) {
  const strip = ({ content: _, ...head }: { readonly content?: object }) => head;
  const responses = Object.entries(item.responses).map(([status, each]) => [status, strip(each)]);
  return { ...item, responses: Object.fromEntries(responses) };
}

/** Returns a response without a body, or with content. */
export function response(description: string, names: readonly HeaderName[], content?: object) {
  return { description, headers: headers(names), ...(content && { content }) };
}

function statusName(status: string): string {
  return (STATUS_CODES[status] ?? "").replaceAll(" ", "");
}

/** Returns the content of a body. @param schema registered in `COMPONENTS` */
export function jsonContent(schema: z.ZodType, examples: Examples, type = "application/json") {
  const entries = Object.entries(examples);
  return {
    [type]: {
      schema: { $ref: `#/components/schemas/${COMPONENTS.get(schema)?.id}` },
      examples: Object.fromEntries(
        entries.map(([name, [value, summary]]) => [name, { ...(summary && { summary }), value }]),
      ),
    },
  };
}

/**
 * Returns the error responses of an operation by status, with an example for each code.
 * @param base headers of all responses
 */
export function errorResponses(codes: readonly RestErrorCode[], base: readonly HeaderName[]) {
  const statuses = new Set(codes.map((code) => ERRORS[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const ofStatus = codes.filter((code) => ERRORS[code].status === status);
      return [String(status), errorResponse(ofStatus, base)];
    }),
  );
}

function errorResponse(codes: readonly RestErrorCode[], base: readonly HeaderName[]) {
  return response(
    codes.map((code) => `\`${code}\`: ${ERRORS[code].rest.when}.`).join("\n\n"),
    [...base, ...codes.flatMap((code) => ERROR_HEADERS[code] ?? [])],
    jsonContent(ERROR_BODY, Object.fromEntries(codes.map((code) => [code, [errorExample(code)]]))),
  );
}

/** Returns an example of an error reply. */
export function errorExample(code: RestErrorCode) {
  const { message, field } = ERRORS[code].rest;
  const place = field === undefined ? {} : { field, fields: [{ field, message }] };
  const error = { code, message, ...place, request_id: "0b5c1f9e-3f0f-4c55-9a0b-6c7a1f0e7a55" };
  return { success: 0, error };
}

/**
 * Returns a curl command as a Markdown code block. The reader sets `BASE_URL` and `KEY`.
 * @param body JSON without apostrophes
 */
export function curlBlock(method: string, path: string, body?: object, header?: string): string {
  const lines = [
    `curl ${method === "GET" && body === undefined ? "" : `-X ${method} `}"$BASE_URL${path}"`,
    `  -H "Authorization: Token $KEY"`,
    ...(header === undefined ? [] : [`  -H "${header}"`]),
    ...(body === undefined ? [] : [`  -H "Content-Type: application/json"`, `  -d '${textOf(body)}'`]),
  ];
  return `\`\`\`sh\n${lines.join(" \\\n")}\n\`\`\``;
}

/** Long bodies have one line per field. */
function textOf(body: object): string {
  const line = JSON.stringify(body);
  if (line.length <= MAX_LINE) return line;
  const fields = Object.entries(body).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{\n${fields.join(",\n")}\n  }`;
}
