import type { GraphQLScalarType } from "graphql";
import {
  Arg,
  type ClassType,
  Ctx,
  createParameterDecorator,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  type ResolverData,
  UseMiddleware,
} from "type-graphql";
import type { Caller } from "../../domain/accounts/caller.js";
import { requireAdmin, requireWrite } from "../../domain/accounts/scopes.js";
import { type GraphqlContext, requireSession } from "./context.js";
import { countError, isUserError } from "./error-format.js";
import { requireSentValues } from "./mutation-input.js";
import { UserErrorView } from "./user-error-type.js";

interface UserErrors {
  readonly userErrors: readonly UserErrorView[];
}

/** The parameters of `Field` for each payload field. A field that the method does not return is null, or an empty list. */
type PayloadFields<Values> = {
  readonly [Name in keyof Values]: readonly [
    type: () => Constructor<Values[Name]> | GraphQLScalarType<Values[Name]> | readonly object[],
    options: FieldOptions,
  ];
};

type Constructor<Value> = new (...args: never[]) => Value;

interface FieldOptions {
  readonly nullable?: true;
  readonly description: string;
}

type Method<Values, Input, Principal> = (
  input: Input,
  principal: Principal,
  context: GraphqlContext,
) => Promise<Partial<Values> | UserErrors>;

const USER_ERRORS = [
  () => [UserErrorView],
  { description: "The errors; empty if the mutation succeeded." },
] as const;

/**
 * Declares a mutation that requires write scope, by its description, the type of its input, and the fields of its payload. The method gets
 * the input, the caller and the context, and returns values of those fields. User errors that it throws are returned in the payload as
 * `userErrors`; other errors fail the field.
 */
export const WriterMutation = createDecorator(requireWrite);

/** Declares a mutation that requires admin scope, like `WriterMutation`. */
export const AdminMutation = createDecorator(requireAdmin);

/** Declares a mutation that checks the caller's scope itself, like `WriterMutation`. */
export const CallerMutation = createDecorator((caller) => caller);

function createDecorator<Principal>(authorize: (caller: Caller) => Principal) {
  const PrincipalArg = createParameterDecorator<GraphqlContext>(({ context, info }) => {
    const principal = authorize(requireSession(context).caller);
    requireSentValues(info);
    return principal;
  });
  return <Values extends object, Input extends object>(
    description: string,
    input: () => ClassType<Input>,
    fields: PayloadFields<Values>,
  ) =>
    (resolver: object, name: string, method: { readonly value?: Method<Values, Input, Principal> }): void => {
      const payload = createPayloadType(name, fields);
      Arg("input", input, { description: "Parameters of the mutation." })(resolver, name, 0);
      PrincipalArg(resolver, name, 1);
      Ctx()(resolver, name, 2);
      Mutation(() => payload.type, { description })(resolver, name, method);
      UseMiddleware(async ({ context }: ResolverData<GraphqlContext>, next) => ({
        ...payload.absent,
        ...(await runMutation(context, next)),
      }))(resolver, name, method);
    };
}

/** Creates the payload type of a mutation, such as `CreateUserGroupPayload`. */
function createPayloadType<Values extends object>(mutation: string, fields: PayloadFields<Values>) {
  @ObjectType(typeName(mutation, "Payload"), {
    description: `The result of \`${mutation}\`.`,
    simpleResolvers: true,
  })
  class Payload {}
  const entries = Object.entries<readonly [() => object, FieldOptions]>({
    userErrors: USER_ERRORS,
    ...fields,
  });
  for (const [field, [type, options]] of entries) Field(type, options)(Payload.prototype, field);
  const absent = entries.map(([field, [, { nullable }]]) => [field, nullable ? null : []] as const);
  return { type: Payload, absent: Object.fromEntries(absent) };
}

async function runMutation(context: GraphqlContext, run: () => Promise<object>): Promise<object> {
  try {
    const payload = await run();
    const [refusal] = "userErrors" in payload && Array.isArray(payload.userErrors) ? payload.userErrors : [];
    if (refusal instanceof UserErrorView) context.recordRefusal(refusal.code);
    return payload;
  } catch (error) {
    if (!isUserError(error)) throw error;
    countError(context.metrics, error.code);
    context.recordRefusal(error.code);
    return { userErrors: UserErrorView.allOf(error) };
  } finally {
    // Later fields of the same request must not read cached values from before this write.
    context.session?.loaders.clear();
  }
}

/** The input of a mutation of one object. */
export interface IdInput {
  readonly id: string;
}

/** Creates the input type of a mutation of the object with a global ID. @param object such as "API key" */
export function createIdInput(mutation: string, object: string): ClassType<IdInput> {
  @InputType(typeName(mutation, "Input"), { description: `Input for \`${mutation}\`.` })
  class Input implements IdInput {
    @Field(() => ID, { description: `The ${object}'s global ID.` })
    readonly id!: string;
  }
  return Input;
}

function typeName(mutation: string, suffix: string): string {
  return `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}${suffix}`;
}
