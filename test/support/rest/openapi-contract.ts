import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { packageVersion } from "../../../src/app/package-version.js";
import { openApiDocument } from "../../../src/http/openapi/document.js";

const VERSION = await packageVersion();

/** A received reply. */
export interface RawReply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Headers that any HTTP reply can have and OpenAPI does not describe. */
const PLAIN_HEADERS = [
  "connection",
  "content-length",
  "content-security-policy",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "x-content-type-options",
];

/** An untyped part of the document. */
type Part = ReturnType<typeof JSON.parse>;

/** Checks replies against the OpenAPI document and records which documented replies have been seen. */
export class OpenApiContract {
  readonly #document: Part = JSON.parse(JSON.stringify(openApiDocument(VERSION)));
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #seen = new Set<string>();

  constructor() {
    this.#ajv.addSchema(this.#document, "openapi");
  }

  /** All operations, such as `get /api/user`. */
  get operations(): string[] {
    return Object.entries<Part>(this.#document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => key !== "parameters")
        .map((method) => `${method} ${path}`),
    );
  }

  /** Every documented reply, such as `get /api/user 400 invalid_json`. */
  get promised(): string[] {
    return this.operations.flatMap((operation) =>
      Object.keys(this.#at(operation).responses).flatMap((status) => {
        const { content } = this.#response(operation, status).value;
        const codes =
          Number(status) < 400 || !content ? [""] : Object.keys(content["application/json"].examples);
        return codes.map((code) => `${operation} ${status} ${code}`.trim());
      }),
    );
  }

  get seen(): string[] {
    return [...this.#seen];
  }

  #at(operation: string): Part {
    const [method = "", path = ""] = operation.split(" ");
    return this.#document.paths[path][method];
  }

  /** Checks status, headers and body of a reply. */
  check(operation: string, reply: RawReply): void {
    const details = `${operation} ${reply.status}: ${reply.text.slice(0, 300)}`;
    const status = String(reply.status);
    expect(Object.keys(this.#at(operation).responses), details).toContain(status);
    const { value, pointer } = this.#response(operation, status);
    this.#checkHeaders(value.headers, reply, details);
    const type = String(reply.headers["content-type"] ?? "").split(";")[0] ?? "";
    if (!value.content) {
      expect(reply.text, details).toBe("");
      this.#seen.add(`${operation} ${status}`);
      return;
    }
    expect(Object.keys(value.content), details).toContain(type);
    const body = JSON.parse(reply.text);
    this.#validate(`${pointer}/content/${escapeKey(type)}/schema`, body, details);
    const { code = "" } = body.error ?? {};
    if (reply.status >= 400) {
      expect(Object.keys(value.content[type].examples), details).toContain(code);
      expect(body.error.request_id, details).toBe(reply.headers["x-request-id"]);
    }
    this.#seen.add(`${operation} ${status} ${reply.status < 400 ? "" : code}`.trim());
  }

  /** Whether an operation accepts a body. */
  accepts(operation: string, body: unknown): boolean {
    const [method = "", path = ""] = operation.split(" ");
    const pointer = `/paths/${escapeKey(path)}/${method}/requestBody/content/application~1json/schema`;
    return this.#validator(pointer)(body);
  }

  #checkHeaders(documented: Part, { headers }: RawReply, details: string): void {
    const names = Object.keys(documented);
    for (const name of names) {
      const pointer = documented[name].$ref.slice(1);
      const { required = false, schema } = this.#lookUp(pointer);
      const value = headers[name.toLowerCase()];
      if (value === undefined) expect(required, `${details}: ${name} is missing`).toBe(false);
      else
        this.#validate(
          `${pointer}/schema`,
          schema.type === "integer" ? Number(value) : value,
          `${details}: ${name}`,
        );
    }
    const known = [...PLAIN_HEADERS, ...names.map((name) => name.toLowerCase())];
    expect(
      Object.keys(headers).filter((name) => !known.includes(name)),
      details,
    ).toEqual([]);
  }

  #validate(pointer: string, value: unknown, details: string): void {
    const validate = this.#validator(pointer);
    expect(validate(value) ? [] : validate.errors, details).toEqual([]);
  }

  #validator(pointer: string) {
    return this.#ajv.compile({ $ref: `openapi#${encodeURI(pointer)}` });
  }

  #response(operation: string, status: string): { readonly value: Part; readonly pointer: string } {
    const [method = "", path = ""] = operation.split(" ");
    const value = this.#at(operation).responses[status];
    if (value.$ref) return { value: this.#lookUp(value.$ref.slice(1)), pointer: value.$ref.slice(1) };
    return { value, pointer: `/paths/${escapeKey(path)}/${method}/responses/${status}` };
  }

  #lookUp(pointer: string): Part {
    return pointer
      .split("/")
      .slice(1)
      .reduce((part, key) => part[key.replaceAll("~1", "/").replaceAll("~0", "~")], this.#document);
  }
}

function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
