import { GraphQLJSON } from "graphql-scalars";
import { Field, InputType, Int } from "type-graphql";
import { type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { isPresent } from "../../domain/shared/json.js";
import { type DocumentSource, serializeJson } from "../../domain/site-configs/document-source.js";
import { DEFAULT_SITE, requireSize } from "../../domain/site-configs/site-config.js";
import type { ChangeOptions } from "../../services/site-configs/service.js";
import { nullable } from "../shared/nullable.js";

export const SITE = { nullable: true, defaultValue: DEFAULT_SITE, description: "The site's name." };
export const STRICT = {
  nullable: true,
  defaultValue: false,
  description: "If true, warnings count as errors.",
};
const EXPECTED_REVISION = nullable(
  "The number of the current revision as you last read it; 0 if the site must not exist yet. The change fails if the current revision is another one.",
);

@InputType("PutSiteConfigInput", {
  description: "Input for `putSiteConfig`. Set exactly one of `text` and `document`.",
})
export class PutSiteConfigInput {
  @Field(() => String, SITE)
  readonly site?: string | null;

  @Field(
    () => GraphQLJSON,
    nullable(
      "The configuration as JSON. Integer-like keys come first, as in JavaScript; send `text` to preserve the exact text.",
    ),
  )
  readonly document?: unknown;

  @Field(() => String, nullable("The configuration as the text of its file."))
  readonly text?: string | null;

  @Field(() => Int, EXPECTED_REVISION)
  readonly expectedRevision?: number | null;

  @Field(() => Boolean, STRICT)
  readonly strict?: boolean | null;

  @Field(
    () => Boolean,
    nullable(
      "If true, anyone can read the configuration over HTTP. If omitted, existing sites keep their visibility and new sites are private.",
    ),
  )
  readonly public?: boolean | null;
}

@InputType("PatchSiteConfigInput", { description: "Input for `patchSiteConfig`." })
export class PatchSiteConfigInput {
  @Field(() => String, SITE)
  readonly site?: string | null;

  @Field(() => GraphQLJSON, {
    description:
      "A JSON Merge Patch (RFC 7396): null removes a property, objects are merged, and all other values replace the current ones.",
  })
  readonly patch!: unknown;

  @Field(() => Int, EXPECTED_REVISION)
  readonly expectedRevision?: number | null;

  @Field(() => Boolean, STRICT)
  readonly strict?: boolean | null;
}

@InputType("RestoreSiteConfigInput", { description: "Input for `restoreSiteConfig`." })
export class RestoreSiteConfigInput {
  @Field(() => String, SITE)
  readonly site?: string | null;

  @Field(() => Int, { description: "The number of the revision to restore." })
  readonly revision!: number;

  @Field(() => Int, EXPECTED_REVISION)
  readonly expectedRevision?: number | null;
}

@InputType("SetSiteConfigVisibilityInput", { description: "Input for `setSiteConfigVisibility`." })
export class SetSiteConfigVisibilityInput {
  @Field(() => String, SITE)
  readonly site?: string | null;

  @Field(() => Boolean, {
    description:
      "If true, anyone can read the configuration over HTTP; if false, only callers with an API key.",
  })
  readonly public!: boolean;
}

/** A document submitted in a request. */
export interface SubmittedSource {
  readonly source: DocumentSource;
  /** Path in the input. */
  readonly field: FieldPath;
  /** Size in bytes; for a JSON document, without insignificant white space. */
  readonly size: number;
}

/**
 * Parses a document submitted as JSON or as text.
 * @throws DomainError `invalid_field` unless exactly one is set and its size is within the storage limit
 */
export function parseSource({
  document,
  text,
}: {
  readonly document?: unknown;
  readonly text?: string | null | undefined;
}): SubmittedSource {
  const hasText = typeof text === "string";
  const hasDocument = isPresent(document);
  if (hasText === hasDocument) throw invalidField(["text"], "or document is required, but not both");
  const source = hasText ? { text } : serializeJson(document, ["document"]);
  const field: FieldPath = [hasText ? "text" : "document"];
  const written = "text" in source ? source.text : source.json;
  requireSize(written, field);
  return { source, field, size: Buffer.byteLength(written) };
}

/** @throws DomainError `invalid_field` */
export function parseChangeOptions(input: {
  readonly expectedRevision?: number | null;
  readonly strict?: boolean | null;
}): ChangeOptions & { readonly strict: boolean } {
  const expectedRevision = input.expectedRevision ?? null;
  if (expectedRevision !== null && expectedRevision < 0) {
    throw invalidField(["expectedRevision"], "must be 0 or more");
  }
  return { expectedRevision, strict: input.strict === true };
}
