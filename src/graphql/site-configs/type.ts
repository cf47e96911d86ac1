import { GraphQLDateTime } from "graphql-scalars";
import { Field, Int, ObjectType } from "type-graphql";
import type { SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import { createConnectionType } from "../shared/connection-type.js";
import { NodeView } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import type { TextRef } from "./loaders.js";

@ObjectType("SiteConfig", {
  implements: NodeView,
  description: "The configuration of a documentation site, at its current revision.",
})
export class SiteConfigView extends NodeView {
  @Field(() => String, { description: "The site's name, unique within its environment." })
  readonly site!: string;

  @Field(() => Int, {
    description: "The number of the current revision. Revisions are numbered from 1 without gaps.",
  })
  readonly revision!: number;

  @Field(() => Boolean, { description: "Indicates whether anyone can read the configuration over HTTP." })
  readonly isPublic!: boolean;

  @Field(() => GraphQLDateTime, { description: "The time when the first revision was stored." })
  readonly createdAt!: Date;

  @Field(() => GraphQLDateTime, { description: "The time when the current revision was stored." })
  readonly updatedAt!: Date;

  /** Internal, for the field resolvers. */
  readonly siteConfigId!: number;
  readonly textRef!: TextRef;

  constructor({ id: siteConfigId, size, ...siteConfig }: SiteConfig) {
    super("SiteConfig", siteConfigId);
    const textRef = { siteConfigId, revision: siteConfig.revision, size };
    Object.assign(this, { ...siteConfig, siteConfigId, textRef } satisfies Omit<SiteConfigView, "id">);
  }
}

@ObjectType("SiteConfigRevision", {
  implements: NodeView,
  description: "An immutable revision of a site's configuration.",
})
export class SiteConfigRevisionView extends NodeView {
  @Field(() => Int, { description: "The revision number. Revisions are numbered from 1 without gaps." })
  readonly revision!: number;

  @Field(() => String, { description: "The name of the author's API key at that time." })
  readonly authorName!: string;

  @Field(
    () => Int,
    nullable("The number of the restored revision; null if this is not a copy of an earlier revision."),
  )
  readonly restoredFrom!: number | null;

  @Field(() => GraphQLDateTime, { description: "The time when the revision was stored." })
  readonly createdAt!: Date;

  /** Internal, for the field resolvers. */
  readonly textRef!: TextRef;
  readonly authorKeyId!: number | null;

  constructor(revision: SiteConfigRevision) {
    super("SiteConfigRevision", revision.siteConfigId, revision.revision);
    const { author: authorName, ...others } = revision;
    const fields: Omit<SiteConfigRevisionView, "id"> = { ...others, authorName, textRef: revision };
    Object.assign(this, fields);
  }
}

export const SiteConfigConnection = createConnectionType("SiteConfig", SiteConfigView);

export const SiteConfigRevisionConnection = createConnectionType(
  "SiteConfigRevision",
  SiteConfigRevisionView,
);
