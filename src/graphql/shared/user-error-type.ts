import { Field, ObjectType } from "type-graphql";
import { ERROR_CODES, ERRORS, type ErrorCode } from "../../domain/shared/error-catalogue.js";
import { DomainError, type FieldError, type FieldPath } from "../../domain/shared/errors.js";
import { createEnum } from "./create-enum.js";
import { fieldMessage, toGraphqlCode } from "./error-format.js";
import { nullable } from "./nullable.js";

const UserErrorCodeEnum = createEnum<ErrorCode>(
  "UserErrorCode",
  "The code of an error in `userErrors`: one of the REST API's codes, in upper case.",
  Object.fromEntries(
    ERROR_CODES.filter((code) => ERRORS[code].isUserError).map((code) => [
      toGraphqlCode(code),
      [code, ERRORS[code].meaning] as const,
    ]),
  ),
);

@ObjectType("UserError", {
  description:
    "An error that the caller can correct. The mutation changed nothing and returns one error for each invalid field.",
})
export class UserErrorView {
  @Field(() => UserErrorCodeEnum, { description: "The error code." })
  readonly code: ErrorCode;

  @Field(() => String, { description: "An explanation for humans. Its wording may change." })
  readonly message: string;

  @Field(
    () => [String],
    nullable("The path of the invalid field in the input; null if the error does not concern a field."),
  )
  readonly field: string[] | null;

  private constructor(code: ErrorCode, message: string, field: string[] | null) {
    this.code = code;
    this.message = message;
    this.field = field;
  }

  /** Returns one error per invalid field. */
  static allOf({ code, fields, message }: DomainError): UserErrorView[] {
    if (fields.length === 0) return [new UserErrorView(code, message, null)];
    return fields.map((each) => new UserErrorView(code, fieldMessage(code, each), [...each.field]));
  }

  /** Returns the errors of the fields of a stored object. */
  static ofFields(fields: readonly FieldError[]): UserErrorView[] {
    return fields.length === 0
      ? []
      : UserErrorView.allOf(new DomainError("invalid_field", "is invalid", { fields }));
  }

  /** Returns the error with a path prefix. */
  within(path: FieldPath): UserErrorView {
    return new UserErrorView(this.code, this.message, [...path, ...(this.field ?? [])]);
  }
}
