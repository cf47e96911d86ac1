import { Arg, Field, ObjectType } from "type-graphql";
import { nullable } from "./nullable.js";
import { UserErrorView } from "./user-error-type.js";

/** Field values of a mutation's payload; absent ones become null. */
export type PayloadValues<Values extends object> = Partial<Values> & {
  readonly userErrors?: readonly UserErrorView[];
};

export type PayloadType<Values extends object> = new (
  values: PayloadValues<Values> | null,
  userErrors?: readonly UserErrorView[],
) => object;

/**
 * Creates the payload type of a mutation, such as `CreateUserGroupPayload`: nullable fields and `userErrors`.
 * @param fields type and description of each field except `userErrors`
 */
export function createPayloadType<Values extends object>(
  mutation: string,
  fields: { readonly [Name in keyof Values]: readonly [type: () => object, description: string] },
): PayloadType<Values> {
  const absent = Object.fromEntries(Object.keys(fields).map((field) => [field, null]));

  @ObjectType(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Payload`, {
    description: `The result of \`${mutation}\`.`,
  })
  class Payload {
    @Field(() => [UserErrorView], { description: "The errors; empty if the mutation succeeded." })
    readonly userErrors: readonly UserErrorView[];

    constructor(values: PayloadValues<Values> | null, userErrors: readonly UserErrorView[] = []) {
      this.userErrors = userErrors;
      Object.assign(this, absent, values);
    }
  }
  for (const [field, [type, fieldDescription]] of Object.entries<readonly [() => object, string]>(fields)) {
    Field(type, nullable(fieldDescription))(Payload.prototype, field);
  }
  return Payload;
}

/** Declares the `input` argument of a mutation. */
export function Input(type: () => object) {
  return Arg("input", type, { description: "Parameters of the mutation." });
}
