import { GraphQLDateTime } from "graphql-scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import { createConnectionType } from "../shared/connection-type.js";
import { toNodeId } from "../shared/node-id.js";
import { NodeView } from "../shared/node-type.js";
import type { TextRef } from "./loaders.js";

@ObjectType("SiteConfig", {
  implements: NodeView,
  description: "The configuration of a documentation site: its current revision.",
})
export class SiteConfigView extends NodeView {
  @Field(() => String, { description: "The name of the site, unique in the environment." })
  readonly site: string;

  @Field(() => Int, { description: "The number of the current revision: they count from 1, without gaps." })
  readonly revision: number;

  @Field(() => Boolean, { description: "Whether everybody may read the configuration over HTTP." })
  readonly public: boolean;

  @Field(() => GraphQLDateTime, { description: "When the first revision was written." })
  readonly createdAt: Date;

  @Field(() => GraphQLDateTime, { description: "When the current revision was written." })
  readonly updatedAt: Date;

  /** Internal, for the field resolvers. */
  readonly siteConfigId: number;
  readonly textRef: TextRef;

  constructor({ id, site, revision, size, isPublic, createdAt, updatedAt }: SiteConfig) {
    super("SiteConfig", id);
    this.site = site;
    this.revision = revision;
    this.public = isPublic;
    this.createdAt = createdAt;
    this.updatedAt = updatedAt;
    this.siteConfigId = id;
    this.textRef = { siteConfigId: id, revision, size };
  }
}

@ObjectType("SiteConfigRevision", {
  implements: NodeView,
  description: "One state of a site's configuration; it never changes.",
})
export class SiteConfigRevisionView extends NodeView {
  @Field(() => Int, { description: "Its number: they count from 1, without gaps." })
  readonly revision: number;

  @Field(() => String, { description: "The name that the author's API key had then." })
  readonly author: string;

  @Field(() => ID, {
    nullable: true,
    description: "The author's API key; null when it was written at the database, with no key.",
  })
  readonly authorKeyId: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The revision that was brought back; null when this is no copy of an earlier one.",
  })
  readonly restoredFrom: number | null;

  @Field(() => GraphQLDateTime, { description: "When it was written." })
  readonly createdAt: Date;

  /** Internal, for the field resolvers. */
  readonly textRef: TextRef;

  constructor(revision: SiteConfigRevision) {
    super("SiteConfigRevision", revision.siteConfigId, revision.revision);
    this.revision = revision.revision;
    this.author = revision.author;
    this.authorKeyId = revision.authorKeyId === null ? null : toNodeId("ApiKey", revision.authorKeyId);
    this.restoredFrom = revision.restoredFrom;
    this.createdAt = revision.createdAt;
    this.textRef = revision;
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
