import { GraphQLDateTime } from "graphql-scalars";
import { Ctx, Field, Int, ObjectType } from "type-graphql";
import type { SessionAlgorithm } from "../../domain/session-templates/claims.js";
import type { SecretEncoding, SessionTemplate } from "../../domain/session-templates/template.js";
import { createConnectionType } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { createEnum } from "../shared/create-enum.js";
import { NodeView } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";

export const SessionAlgorithmEnum = createEnum<SessionAlgorithm>(
  "SessionAlgorithm",
  "How the tokens of a session template are signed.",
  {
    ES256: ["ES256", "With a key of the account and environment, which the tool loads from `keySetUrl`."],
    HS256: ["HS256", "With the secret of the dashboard tool."],
  },
);

export const SecretEncodingEnum = createEnum<SecretEncoding>("SecretEncoding", "How a secret is written.", {
  TEXT: ["text", "As text, whose UTF-8 bytes are the key."],
  BASE64: ["base64", "As base64 of the key."],
});

@ObjectType("SessionTemplate", {
  implements: NodeView,
  description: "What the token of a user group contains for another tool, and who signs it.",
})
export class SessionTemplateView extends NodeView {
  @Field(() => String, { description: "The name, unique within the environment." })
  readonly name!: string;

  @Field(() => String, { description: "What the template is for." })
  readonly description!: string;

  @Field(() => SessionAlgorithmEnum, { description: "How tokens are signed." })
  readonly algorithm!: SessionAlgorithm;

  @Field(() => GraphQLJSON, { description: "Constant members of the token's header, with HS256 only." })
  readonly header!: object;

  @Field(() => GraphQLJSON, {
    description: "The claims, with references such as `{{ userGroup.providedId }}`.",
  })
  readonly claims!: object;

  @Field(() => Int, { description: "The lifetime of a token in seconds." })
  readonly lifetimeSeconds!: number;

  @Field(
    () => String,
    nullable("The address of the tool's frame, with `{{ token }}`; null if there is none."),
  )
  readonly url!: string | null;

  @Field(() => Boolean, {
    description: "Whether there is a secret, which cannot be read; always with HS256.",
  })
  readonly hasSecret!: boolean;

  @Field(() => Int, { description: "The version, which each change increments." })
  readonly version!: number;

  @Field(() => GraphQLDateTime, { description: "The time when the template was created." })
  readonly createdAt!: Date;

  @Field(() => GraphQLDateTime, { description: "The time of the last change." })
  readonly updatedAt!: Date;

  constructor({ id, ...template }: SessionTemplate) {
    super("SessionTemplate", id);
    Object.assign(this, template);
  }

  @Field(() => String, nullable("`iss` of the tokens; null with HS256."))
  issuer(@Ctx() context: GraphqlContext): string | null {
    if (this.algorithm === "HS256") return null;
    return context.services.templateKeys.issuerOf(requireSession(context).caller);
  }

  @Field(() => String, nullable("The address of the keys that verify the tokens; null with HS256."))
  keySetUrl(@Ctx() context: GraphqlContext): string | null {
    const issuer = this.issuer(context);
    return issuer && `${issuer}/jwks.json`;
  }
}

export const SessionTemplateConnection = createConnectionType("SessionTemplate", SessionTemplateView);
