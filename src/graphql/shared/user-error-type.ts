import { Field, ObjectType } from "type-graphql";
import type { DomainError, ErrorCode, FieldPath } from "../../domain/shared/errors.js";
import { ErrorCodeEnum } from "./error-code-enum.js";
import { fieldMessage } from "./error-format.js";

@ObjectType("UserError", {
  description:
    "Why a mutation changed nothing, for the caller to act upon; one error for each invalid field.",
})
export class UserErrorView {
  @Field(() => ErrorCodeEnum, { description: "What went wrong, for programs." })
  readonly code: ErrorCode;

  @Field(() => String, { description: "What went wrong, for people." })
  readonly message: string;

  @Field(() => [String], {
    nullable: true,
    description: "The path of the faulty field in the input; null when it is not about a field.",
  })
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

  /** Returns the error with a path prefix. */
  within(path: FieldPath): UserErrorView {
    return new UserErrorView(this.code, this.message, this.field && [...path, ...this.field]);
  }
}
