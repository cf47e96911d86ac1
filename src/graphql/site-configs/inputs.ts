import { Directive, Field, InputType, Int } from "type-graphql";
import { isPresent } from "../../domain/shared/json.js";
import { measureJson } from "../../domain/site-configs/document-source.js";
import { DEFAULT_SITE, requireSize, SITE_NAME_RULE } from "../../domain/site-configs/site-config.js";
import { OptionalField } from "../shared/mutation-input.js";
import { guard, nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";

export const SITE = { defaultValue: DEFAULT_SITE, description: "The site's name." };
const NEW_SITE = { ...SITE, description: `The site's name. The name of a new site has ${SITE_NAME_RULE}.` };
export const STRICT = {
  nullable: true,
  defaultValue: false,
  description: "If true, warnings count as errors; notices do not.",
};
const EXPECTED_REVISION = guard(
  "The number of the current revision as you last read it; 0 if the site must not exist yet. The change fails if the current revision is another one.",
);

@Directive("@oneOf")
@InputType("SiteConfigSource", {
  description: "A site configuration as exactly one of these fields.",
})
export class SiteConfigSource {
  @Field(
    () => GraphQLJSON,
    nullable(
      "The configuration as JSON. Integer-like keys come first, as in JavaScript; send `text` to preserve the exact text.",
    ),
  )
  readonly document?: unknown;

  @Field(
    () => String,
    nullable("The configuration as the text of its file. Findings then include line and column."),
  )
  readonly text?: string | null;
}

@InputType("PutSiteConfigInput", { description: "Input for `putSiteConfig`." })
export class PutSiteConfigInput {
  @Field(() => String, NEW_SITE)
  readonly site!: string;

  @Field(() => SiteConfigSource, { description: "The configuration to store." })
  readonly source!: SiteConfigSource;

  @Field(() => Int, EXPECTED_REVISION)
  readonly expectedRevision?: number | null;

  @OptionalField(() => Boolean, STRICT.description, STRICT.defaultValue)
  readonly strict?: boolean | null;

  @OptionalField(
    () => Boolean,
    "If true, anyone can read the configuration over HTTP. If omitted, existing sites keep their visibility and new sites are private.",
  )
  readonly isPublic?: boolean | null;
}

@InputType("PatchSiteConfigInput", { description: "Input for `patchSiteConfig`." })
export class PatchSiteConfigInput {
  @Field(() => String, SITE)
  readonly site!: string;

  @Field(() => GraphQLJSON, {
    description:
      "A JSON Merge Patch (RFC 7396): null removes a property, objects are merged, and all other values replace the current ones.",
  })
  readonly patch!: unknown;

  @Field(() => Int, EXPECTED_REVISION)
  readonly expectedRevision?: number | null;

  @OptionalField(() => Boolean, STRICT.description, STRICT.defaultValue)
  readonly strict?: boolean | null;
}

@InputType("RestoreSiteConfigInput", { description: "Input for `restoreSiteConfig`." })
export class RestoreSiteConfigInput {
  @Field(() => String, SITE)
  readonly site!: string;

  @Field(() => Int, { description: "The number of the revision to restore." })
  readonly revision!: number;

  @Field(() => Int, EXPECTED_REVISION)
  readonly expectedRevision?: number | null;
}

@InputType("SetSiteConfigVisibilityInput", { description: "Input for `setSiteConfigVisibility`." })
export class SetSiteConfigVisibilityInput {
  @Field(() => String, SITE)
  readonly site!: string;

  @Field(() => Boolean, {
    description:
      "If true, anyone can read the configuration over HTTP; if false, only callers with an API key.",
  })
  readonly isPublic!: boolean;
}

@InputType("DeleteSiteConfigInput", { description: "Input for `deleteSiteConfig`." })
export class DeleteSiteConfigInput {
  @Field(() => String, SITE)
  readonly site!: string;

  @Field(
    () => Int,
    guard(
      "The number of the current revision as you last read it. The deletion fails if the current revision is another one.",
    ),
  )
  readonly expectedRevision?: number | null;
}

/**
 * Parses a document submitted as JSON or as text.
 * @returns the document, its path in the input, and its size in bytes; for JSON, without insignificant white space
 * @throws DomainError `invalid_field` unless its size is within the storage limit
 */
export function parseSource({ document, text }: SiteConfigSource) {
  const field = ["source", isPresent(text) ? "text" : "document"];
  if (!isPresent(text)) {
    const source = measureJson(document, field);
    return { source, field, size: source.size };
  }
  requireSize(text, field);
  return { source: { text }, field, size: Buffer.byteLength(text) };
}
