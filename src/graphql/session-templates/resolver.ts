import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  InputType,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from "type-graphql";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import { parseSessionVariables } from "../../domain/authentication/embed-session.js";
import { parseClaims, type SessionAlgorithm } from "../../domain/session-templates/claims.js";
import { parseTemplateName } from "../../domain/session-templates/template.js";
import { DomainError, domainErrorOr } from "../../domain/shared/errors.js";
import { isPresent, type JsonObject } from "../../domain/shared/json.js";
import { MAX_SEARCHED_BYTES } from "../../domain/user-groups/properties.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { ConnectionArguments } from "../shared/list-inputs.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { loadUserGroup, parseUserGroupBy, UserGroupBy } from "../user-groups/by.js";
import { UserGroupView } from "../user-groups/type.js";
import { loadSessionTemplate, parseSessionTemplateBy, SessionTemplateBy } from "./by.js";
import { SessionAlgorithmEnum, SessionTemplateConnection, SessionTemplateView } from "./type.js";

@ObjectType("SessionClaims", {
  description: "What a session of a user group would contain; nothing is signed.",
  simpleResolvers: true,
})
class SessionClaimsView {
  @Field(
    () => GraphQLJSON,
    nullable(
      "The claims, besides those that the service sets; `session.id` is `preview`. Null if a session would be refused.",
    ),
  )
  readonly claims!: JsonObject | null;

  @Field(() => [UserErrorView], {
    description: "Why a session would be refused: each reference without a usable value.",
  })
  readonly errors!: readonly UserErrorView[];
}

@InputType("SessionTemplateCheckInput", { description: "Claims that a session template may get." })
class SessionTemplateCheckInput {
  @Field(() => SessionAlgorithmEnum, { description: "How tokens would be signed." })
  readonly algorithm!: SessionAlgorithm;

  @Field(() => GraphQLJSON, { description: "The claims with their references." })
  readonly claims!: unknown;

  @Field(() => GraphQLJSON, nullable("Values of `variables`."))
  readonly variables?: unknown;

  @Field(() => UserGroupBy, nullable("A user group whose claims are shown."))
  readonly by?: UserGroupBy | null;
}

@ObjectType("SessionTemplateCheck", {
  description: "How many user groups of the environment sessions with these claims would refuse.",
  simpleResolvers: true,
})
class SessionTemplateCheckView {
  @Field(() => Int, { description: "The number of checked user groups: all, or the first 500." })
  readonly checked!: number;

  @Field(() => Int, { description: "The number of those that would be refused." })
  readonly refused!: number;

  @Field(() => [UserErrorView], {
    description: "Why the claims cannot be saved; then no user group is checked.",
  })
  readonly errors!: readonly UserErrorView[];

  @Field(
    () => SessionClaimsView,
    nullable(
      "What a session of the user group in `by` would contain; null without `by`, if there is no such user group, or if the claims cannot be saved.",
    ),
  )
  readonly sessionClaims!: SessionClaimsView | null;
}

@Resolver(() => UserGroupView)
export class SessionTemplateResolver {
  @Query(() => SessionTemplateConnection, {
    description: "The environment's session templates, by name: at most 50.",
  })
  sessionTemplates(
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Ctx() context: GraphqlContext,
  ) {
    requireSession(context);
    const { list } = context.services.sessionTemplates;
    return new SessionTemplateConnection(sourceOf(list, context, page, {}));
  }

  @Query(() => SessionTemplateView, nullable("A session template; null if it does not exist."))
  async sessionTemplate(
    @Arg("by", () => SessionTemplateBy, { description: "Identifies the session template." })
    by: SessionTemplateBy,
    @Ctx() context: GraphqlContext,
  ): Promise<SessionTemplateView | null> {
    const { loaders } = requireSession(context);
    const ref = parseSessionTemplateBy(by);
    const { byName } = context.services.sessionTemplates;
    const found = await (ref.by === "id"
      ? loadSessionTemplate(loaders, ref.id)
      : byName.load(loaders.tenant, ref.name));
    return found && new SessionTemplateView(found);
  }

  @Query(() => SessionTemplateCheckView, {
    description: "Checks claims before they are saved, on at most 500 user groups. Requires admin scope.",
  })
  async sessionTemplateCheck(
    @Arg("input", () => SessionTemplateCheckInput, { description: "The claims." })
    { algorithm, claims, variables, by }: SessionTemplateCheckInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SessionTemplateCheckView> {
    const { caller, loaders } = requireSession(context);
    requireAdmin(caller);
    const sample = parseSessionVariables(variables, ["input", "variables"]);
    const ref = isPresent(by) ? parseUserGroupBy(by, ["input", "by"]) : null;
    const parsed = domainErrorOr(() => parseClaims(claims, ["claims"], algorithm));
    if (parsed instanceof DomainError)
      return { checked: 0, refused: 0, errors: UserErrorView.allOf(parsed), sessionClaims: null };
    // Before the check, as a query may have several.
    loaders.budget.spendBytes(MAX_SEARCHED_BYTES);
    const check = await context.services.templateChecks.count(caller, parsed, sample);
    const group = ref && (await loadUserGroup(loaders, ref));
    const sessionClaims = group && (await renderFor(group, parsed, sample, context));
    return { ...check, errors: [], sessionClaims };
  }

  @FieldResolver(() => SessionClaimsView, {
    description: "What a session of the user group would contain. Fails if there is no such template.",
  })
  async sessionClaims(
    @Root() { group }: UserGroupView,
    @Arg("template", () => String, { description: "The name of the session template." }) template: string,
    @Arg("variables", () => GraphQLJSON, nullable("Values of the template's `variables`."))
    variables: unknown,
    @Ctx() context: GraphqlContext,
  ): Promise<SessionClaimsView> {
    const { loaders } = requireSession(context);
    const name = parseTemplateName(template, ["template"]);
    const sample = parseSessionVariables(variables, ["variables"]);
    const { claims } = await context.services.sessionTemplates.require(loaders.tenant, name);
    return renderFor(group, claims, sample, context);
  }
}

/** Renders claims for a user group; all properties and mappings that they may read count as read. */
async function renderFor(
  group: UserGroup,
  claims: JsonObject,
  variables: JsonObject,
  context: GraphqlContext,
): Promise<SessionClaimsView> {
  const { caller, loaders } = requireSession(context);
  loaders.budget.spendProperties(Buffer.byteLength(group.properties ?? ""));
  const tenant = { ...loaders.tenant, accountName: caller.accountName };
  const rendered = await context.services.templateChecks.render(tenant, group, claims, variables);
  return rendered instanceof DomainError
    ? { claims: null, errors: UserErrorView.allOf(rendered) }
    : { claims: rendered, errors: [] };
}
