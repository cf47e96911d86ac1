import { Arg, Field, ObjectType } from "type-graphql";
import { UserErrorView } from "./user-error-type.js";

/** The values of a mutation's payload; those that are absent are null. */
export type PayloadValues<Values extends object> = Partial<Values> & {
  readonly userErrors?: readonly UserErrorView[];
};

/** The type of a mutation's payload. */
export type PayloadType<Values extends object> = new (
  values: PayloadValues<Values> | null,
  userErrors?: readonly UserErrorView[],
) => object;

/**
 * Creates the type of a mutation's payload: nullable fields and `userErrors`.
 * @param failing what the descriptions say has failed
 * @param fields the type and the description of each field but `userErrors`
 */
export function createPayloadType<Values extends object>(
  name: string,
  description: string,
  failing: "call" | "change",
  fields: { readonly [Name in keyof Values]: readonly [type: () => object, description: string] },
): PayloadType<Values> {
  const absent = Object.fromEntries(Object.keys(fields).map((field) => [field, null]));

  @ObjectType(name, { description })
  class Payload {
    @Field(() => [UserErrorView], { description: `Why the ${failing} failed; empty when it did not.` })
    readonly userErrors: readonly UserErrorView[];

    constructor(values: PayloadValues<Values> | null, userErrors: readonly UserErrorView[] = []) {
      this.userErrors = userErrors;
      Object.assign(this, absent, values);
    }
  }
  for (const [field, [type, fieldDescription]] of Object.entries<readonly [() => object, string]>(fields)) {
    Field(type, { nullable: true, description: fieldDescription })(Payload.prototype, field);
  }
  return Payload;
}

/** The argument of every mutation. */
export function Input(type: () => object) {
  return Arg("input", type, { description: "What to do." });
}
