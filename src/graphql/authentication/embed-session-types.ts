import { GraphQLDateTime } from "graphql-scalars";
import { Field, InputType, Int, ObjectType } from "type-graphql";
import {
  DEFAULT_SESSION_SECONDS,
  type EmbedSession,
  MAX_SESSION_SECONDS,
  MAX_VARIABLES_BYTES,
  MIN_SESSION_SECONDS,
} from "../../domain/authentication/embed-session.js";
import type { JsonObject } from "../../domain/shared/json.js";
import { nullable } from "../shared/nullable.js";
import { createPayloadType } from "../shared/payload.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { UserGroupBy } from "../user-groups/by.js";

@InputType("CreateEmbedSessionInput", { description: "Input for `createEmbedSession`." })
export class CreateEmbedSessionInput {
  @Field(() => UserGroupBy, { description: "The user group that the session can read." })
  readonly by!: UserGroupBy;

  @Field(
    () => Int,
    nullable(
      `The lifetime in seconds, from ${MIN_SESSION_SECONDS} to ${MAX_SESSION_SECONDS}. Default: ${DEFAULT_SESSION_SECONDS}. The session expires with its API key at the latest.`,
    ),
  )
  readonly expiresInSeconds?: number | null;

  @Field(
    () => GraphQLJSON,
    nullable(
      `Variables for this session, as a JSON object of at most ${MAX_VARIABLES_BYTES} bytes. The holder of the token can read them. A dashboard uses them in preference to properties of the same name.`,
    ),
  )
  readonly variables?: unknown;
}

export const CreateEmbedSessionPayload = createPayloadType<{ token: string; expiresAt: Date }>(
  "createEmbedSession",
  {
    token: [
      () => String,
      "The embed session, a signed JWT that a front end sends as `Authorization: Bearer <token>`; null if the mutation failed.",
    ],
    expiresAt: [() => GraphQLDateTime, "The time at which the session expires; null if the mutation failed."],
  },
);

@ObjectType("EmbedSession", { description: "The embed session that a front end is authenticated with." })
export class EmbedSessionView {
  @Field(() => GraphQLDateTime, { description: "The time at which the session expires." })
  readonly expiresAt: Date;

  @Field(() => GraphQLJSON, {
    description:
      "The session's own variables, as a JSON object. They take precedence over properties of the user group with the same name.",
  })
  readonly variables: JsonObject;

  constructor({ expiresAt, variables }: EmbedSession) {
    this.expiresAt = expiresAt;
    this.variables = variables;
  }
}
