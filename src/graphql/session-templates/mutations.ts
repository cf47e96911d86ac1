import { GraphQLDateTime } from "graphql-scalars";
import { Field, ID, InputType, Int, Resolver } from "type-graphql";
import type { Admin, Caller } from "../../domain/accounts/caller.js";
import { requireEmbedSessions } from "../../domain/accounts/scopes.js";
import { parseSessionLifetime, parseSessionVariables } from "../../domain/authentication/embed-session.js";
import type { SessionAlgorithm } from "../../domain/session-templates/claims.js";
import {
  DEFAULT_TEMPLATE_SECONDS,
  parseTemplateName,
  type SecretEncoding,
} from "../../domain/session-templates/template.js";
import { parseExpectedVersion, parseFields, parseGuard } from "../../domain/shared/field-parsing.js";
import type { SavedTemplate } from "../../services/session-templates/service.js";
import type { GraphqlContext } from "../shared/context.js";
import { AdminMutation, CallerMutation } from "../shared/mutation.js";
import { OptionalField } from "../shared/mutation-input.js";
import { toNodeId } from "../shared/node.js";
import { guard, nullable, versionGuard } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { parseUserGroupBy, UserGroupBy } from "../user-groups/by.js";
import { parseSessionTemplateBy, SessionTemplateBy } from "./by.js";
import { SecretEncodingEnum, SessionAlgorithmEnum, SessionTemplateView } from "./type.js";

const CLAIMS =
  "A JSON object of at most 8 KiB. Texts may have references such as `{{ userGroup.properties.region }}`.";
const URL = "The https address of the tool's frame, with `{{ token }}` once.";

/** The fields that a template may be created without. */
@InputType()
abstract class TemplateFieldsInput {
  @Field(() => String, guard("What the template is for."))
  readonly description?: string;

  @Field(
    () => String,
    guard(
      "The secret of the dashboard tool, at least 16 bytes, which cannot be read later. Required with HS256 for a new template, if the algorithm becomes HS256, and if the URL gets another origin.",
    ),
  )
  readonly secret?: string;

  @Field(() => SecretEncodingEnum, guard("How the secret is written; as text if omitted."))
  readonly secretEncoding?: SecretEncoding;

  @Field(() => GraphQLJSON, guard("Constant `kid` and `iss` of the token's header, with HS256 only."))
  readonly header?: unknown;

  @Field(
    () => Int,
    guard(
      `The lifetime of a token in seconds, from 60 to 86,400; ${DEFAULT_TEMPLATE_SECONDS} for a new template if omitted.`,
    ),
  )
  readonly lifetimeSeconds?: number;
}

@InputType("CreateSessionTemplateInput", { description: "Input for `createSessionTemplate`." })
class CreateSessionTemplateInput extends TemplateFieldsInput {
  @Field(() => String, {
    description: "A name, unique within the environment: `a` to `z`, `0` to `9` and `-`.",
  })
  readonly name!: string;

  @Field(() => SessionAlgorithmEnum, { description: "How tokens are signed." })
  readonly algorithm!: SessionAlgorithm;

  @Field(() => GraphQLJSON, { description: CLAIMS })
  readonly claims!: unknown;

  @Field(() => String, guard(URL))
  readonly url?: string;
}

@InputType("UpdateSessionTemplateInput", {
  description: "Input for `updateSessionTemplate`. Omitted fields keep their values.",
})
class UpdateSessionTemplateInput extends TemplateFieldsInput {
  @Field(() => SessionTemplateBy, { description: "The session template to update." })
  readonly by!: SessionTemplateBy;

  @Field(() => Int, versionGuard("session template"))
  readonly expectedVersion?: number | null;

  @Field(() => String, guard("The new name."))
  readonly name?: string;

  @Field(() => SessionAlgorithmEnum, guard("The new algorithm."))
  readonly algorithm?: SessionAlgorithm;

  @Field(() => GraphQLJSON, guard(CLAIMS))
  readonly claims?: unknown;

  @OptionalField(() => String, `${URL} Null removes it.`)
  readonly url?: string | null;
}

@InputType("DeleteSessionTemplateInput", { description: "Input for `deleteSessionTemplate`." })
class DeleteSessionTemplateInput {
  @Field(() => SessionTemplateBy, { description: "The session template to delete." })
  readonly by!: SessionTemplateBy;

  @Field(() => Int, versionGuard("session template"))
  readonly expectedVersion?: number | null;
}

@InputType("CreateTemplateSessionInput", { description: "Input for `createTemplateSession`." })
class CreateTemplateSessionInput {
  @Field(() => UserGroupBy, { description: "The user group whose token is created." })
  readonly by!: UserGroupBy;

  @Field(() => String, { description: "The name of the session template." })
  readonly template!: string;

  @OptionalField(() => GraphQLJSON, "Values of the template's `variables`; none if null or omitted.")
  readonly variables?: unknown;

  @Field(() => Int, guard("A lifetime in seconds that is shorter than the template's."))
  readonly expiresInSeconds?: number | null;
}

const PAYLOAD = {
  sessionTemplate: [
    () => SessionTemplateView,
    nullable("The session template; null if the mutation failed."),
  ],
  warnings: [() => [String], { description: "What may be wrong, although the template was saved." }],
} as const;

@Resolver()
export class SessionTemplateMutations {
  @AdminMutation(
    "Creates a session template. Fails if its name is taken. Requires admin scope.",
    () => CreateSessionTemplateInput,
    PAYLOAD,
  )
  async createSessionTemplate(input: CreateSessionTemplateInput, admin: Admin, { services }: GraphqlContext) {
    const { secret, secretEncoding, ...fields } = input;
    const sent = sentSecret(secret, secretEncoding);
    return viewSaved(await services.sessionTemplates.create(admin, fields, sent));
  }

  @AdminMutation(
    "Updates a session template. Omitted fields keep their values; sessions that exist are not changed. Requires admin scope.",
    () => UpdateSessionTemplateInput,
    PAYLOAD,
  )
  async updateSessionTemplate(input: UpdateSessionTemplateInput, admin: Admin, { services }: GraphqlContext) {
    const { by, expectedVersion: _, secret, secretEncoding, ...changes } = input;
    const saved = await services.sessionTemplates.update(admin, parseSessionTemplateBy(by), changes, {
      secret: sentSecret(secret, secretEncoding),
      expectedVersion: parseExpectedVersion(input),
    });
    return viewSaved(saved);
  }

  @AdminMutation(
    "Deletes a session template. Its tokens stay valid until they expire. Requires admin scope.",
    () => DeleteSessionTemplateInput,
    {
      deletedSessionTemplateId: [
        () => ID,
        nullable("The global ID of the deleted session template; null if the mutation failed."),
      ],
    },
  )
  async deleteSessionTemplate(input: DeleteSessionTemplateInput, admin: Admin, { services }: GraphqlContext) {
    const ref = parseSessionTemplateBy(input.by);
    const { id } = await services.sessionTemplates.delete(admin, ref, parseExpectedVersion(input));
    return { deletedSessionTemplateId: toNodeId("SessionTemplate", id) };
  }

  @CallerMutation(
    "Creates the token of a user group for another tool, by a session template. Fails if a value that the template refers to is missing or empty. Requires embed scope; replies to an `Idempotency-Key` are not stored, so it is refused.",
    () => CreateTemplateSessionInput,
    {
      template: [() => String, nullable("The name of the session template; null if the mutation failed.")],
      token: [() => String, nullable("The token; null if the mutation failed. Keep it secret.")],
      expiresAt: [() => GraphQLDateTime, nullable("The time at which the token expires.")],
      url: [
        () => String,
        nullable("The address of the tool's frame with the token; null if the template has none."),
      ],
    },
  )
  async createTemplateSession(
    input: CreateTemplateSessionInput,
    caller: Caller,
    { services }: GraphqlContext,
  ) {
    const embedder = requireEmbedSessions(caller);
    const { by, template, variables, expiresInSeconds } = input;
    const { ref, name, ...options } = parseFields({
      ref: () => parseUserGroupBy(by),
      name: () => parseTemplateName(template, ["template"]),
      variables: () => parseSessionVariables(variables, ["variables"]),
      expiresInSeconds: () => parseGuard(["expiresInSeconds"], expiresInSeconds, parseSessionLifetime),
    });
    const { url, ...session } = await services.templateSessions.create(embedder, ref, name, options);
    return { ...session, ...(url !== null && { url }) };
  }
}

function sentSecret(text: string | undefined, encoding: SecretEncoding = "text") {
  return text === undefined ? undefined : { text, encoding };
}

function viewSaved({ template, warnings }: SavedTemplate) {
  return { sessionTemplate: new SessionTemplateView(template), warnings: [...warnings] };
}
