import { GraphQLJSON } from "graphql-scalars";
import { Field, InputType, Int } from "type-graphql";
import { type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { isPresent } from "../../domain/shared/json.js";
import { type DocumentSource, serializeJson } from "../../domain/site-configs/document-source.js";
import { DEFAULT_SITE, requireSize } from "../../domain/site-configs/site-config.js";
import type { ChangeOptions } from "../../services/site-configs/service.js";

export const SITE = { nullable: true, defaultValue: DEFAULT_SITE, description: "The name of the site." };
export const STRICT = {
  nullable: true,
  defaultValue: false,
  description: "Whether warnings count as errors.",
};
const EXPECTED_REVISION = {
  nullable: true,
  description:
    "The number of the revision that is changed: refused when there is a newer one. 0: refused when there is any.",
};

@InputType("PutSiteConfigInput", {
  description: "A new revision of a site's configuration; exactly one of `text` and `document`.",
})
export class PutSiteConfigInput {
  @Field(() => String, SITE)
  readonly site?: string | null;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description:
      "The configuration as JSON; keys that look like integers come first, as in JavaScript. To keep it character by character, send `text`.",
  })
  readonly document?: unknown;

  @Field(() => String, { nullable: true, description: "The configuration as the text of its file." })
  readonly text?: string | null;

  @Field(() => Int, EXPECTED_REVISION)
  readonly expectedRevision?: number | null;

  @Field(() => Boolean, STRICT)
  readonly strict?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether everybody may read the site over HTTP; absent: as it was, for a new site no.",
  })
  readonly public?: boolean | null;
}

@InputType("PatchSiteConfigInput", { description: "Changes to a site's configuration." })
export class PatchSiteConfigInput {
  @Field(() => String, SITE)
  readonly site?: string | null;

  @Field(() => GraphQLJSON, {
    description:
      "A JSON merge patch (RFC 7396): null removes a property, objects are merged, all else is put in its place.",
  })
  readonly patch!: unknown;

  @Field(() => Int, EXPECTED_REVISION)
  readonly expectedRevision?: number | null;

  @Field(() => Boolean, STRICT)
  readonly strict?: boolean | null;
}

@InputType("RestoreSiteConfigInput", {
  description: "An earlier revision that is to be the current one again.",
})
export class RestoreSiteConfigInput {
  @Field(() => String, SITE)
  readonly site?: string | null;

  @Field(() => Int, { description: "The number of the revision to bring back." })
  readonly revision!: number;

  @Field(() => Int, EXPECTED_REVISION)
  readonly expectedRevision?: number | null;
}

@InputType("SetSiteConfigVisibilityInput", { description: "Who may read a site's configuration over HTTP." })
export class SetSiteConfigVisibilityInput {
  @Field(() => String, SITE)
  readonly site?: string | null;

  @Field(() => Boolean, { description: "Whether everybody may, or only holders of an API key." })
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
  if (hasText === hasDocument)
    throw invalidField(["text"], "or document must be given: exactly one of the two");
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
