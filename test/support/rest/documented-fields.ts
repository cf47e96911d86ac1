import { expect } from "vitest";
import { openApiDocument } from "../../../src/http/openapi/document.js";

/** An untyped part of the document. */
type Part = ReturnType<typeof JSON.parse>;

const DOCUMENT: Part = JSON.parse(JSON.stringify(openApiDocument("0.0.0")));

const resolve = (part: Part): Part =>
  part.$ref === undefined
    ? part
    : String(part.$ref)
        .split("/")
        .slice(1)
        .reduce((within, key) => within[key], DOCUMENT);

/**
 * Expects that every field of an error is a member of the request's body, a query parameter or a header of it, or a parameter, header or
 * member that the operation documents.
 * @param path of the request, such as `/site-config/docs?strict`
 */
export function expectKnownFields(
  method: string,
  path: string,
  sent: { readonly body: unknown; readonly headers?: object | undefined },
  reply: Part,
): void {
  const fields: readonly { field: string }[] = reply?.error?.fields ?? [];
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const template = pathname
    .replace(/\/$/, "")
    .replace(/^\/site-config\/(?!validate$)[^/]+$/, "/site-config/{site}");
  const operation = DOCUMENT.paths[template]?.[method.toLowerCase()];
  if (fields.length === 0 || !operation) return;
  const parameters: Part[] = [
    ...(DOCUMENT.paths[template].parameters ?? []),
    ...(operation.parameters ?? []),
  ];
  const { content = {} } = resolve(operation.requestBody ?? {});
  const schemas = Object.values<Part>(content).map(({ schema }) => resolve(schema));
  const known = [
    ...parameters.map((parameter) => resolve(parameter).name),
    ...schemas.flatMap(({ properties = {} }) => Object.keys(properties)),
    // A body that is a text, or must be empty, has no other name.
    ...(schemas.length === 0 || schemas.some(({ type }) => type === "string") ? ["body"] : []),
    ...searchParams.keys(),
    ...membersOf(sent.body),
  ];
  const named = fields.map(({ field }) => field);
  const headers = Object.keys(sent.headers ?? {}).map((name) => name.toLowerCase());
  const unknown = named.filter(
    (field) =>
      !headers.includes(field.toLowerCase()) &&
      !known.some((name) => field === name || field.startsWith(`${name}.`)),
  );
  expect(unknown, `fields of ${method} ${path} that callers do not know`).toEqual([]);
}

function membersOf(sent: unknown): string[] {
  try {
    return Object.keys(Object(typeof sent === "string" ? JSON.parse(sent) : sent));
  } catch {
    return [];
  }
}
