import { GraphQLDateTime } from "graphql-scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import { createConnectionType } from "../shared/connection-type.js";
import { toNodeId } from "../shared/node-id.js";
import { NodeView } from "../shared/node-type.js";
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
  readonly public!: boolean;

  @Field(() => GraphQLDateTime, { description: "The time when the first revision was stored." })
  readonly createdAt!: Date;

  @Field(() => GraphQLDateTime, { description: "The time when the current revision was stored." })
  readonly updatedAt!: Date;

  /** Internal, for the field resolvers. */
  readonly siteConfigId!: number;
  readonly textRef!: TextRef;

  constructor({ id: siteConfigId, isPublic, size, ...siteConfig }: SiteConfig) {
    super("SiteConfig", siteConfigId);
    const textRef = { siteConfigId, revision: siteConfig.revision, size };
    Object.assign(this, { ...siteConfig, public: isPublic, siteConfigId, textRef } satisfies Omit<
      SiteConfigView,
      "id"
    >);
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
  readonly author!: string;

  @Field(
    () => ID,
    nullable("The global ID of the author's API key; null for changes made directly in the database."),
  )
  readonly authorKeyId!: string | null;

  @Field(
    () => Int,
    nullable("The number of the restored revision; null if this is not a copy of an earlier revision."),
  )
  readonly restoredFrom!: number | null;

  @Field(() => GraphQLDateTime, { description: "The time when the revision was stored." })
  readonly createdAt!: Date;

  /** Internal, for the field resolvers. */
  readonly textRef!: TextRef;

  constructor(revision: SiteConfigRevision) {
    super("SiteConfigRevision", revision.siteConfigId, revision.revision);
    const { authorKeyId } = revision;
    Object.assign(this, {
      ...revision,
      authorKeyId: authorKeyId === null ? null : toNodeId("ApiKey", authorKeyId),
      textRef: revision,
    } satisfies Omit<SiteConfigRevisionView, "id">);
  }
}

export const SiteConfigConnection = createConnectionType(
  "SiteConfig",
  SiteConfigView,
  (siteConfig: SiteConfig) => new SiteConfigView(siteConfig),
);

export const SiteConfigRevisionConnection = createConnectionType(
  "SiteConfigRevision",
  SiteConfigRevisionView,
  (revision: SiteConfigRevision) => new SiteConfigRevisionView(revision),
);
