import { Field, ObjectType } from "type-graphql";
import type { DomainError, ErrorCode, FieldPath } from "../domain/errors.js";
import { ErrorCodeEnum } from "./error-code-enum.js";
import { errorMessage } from "./error-format.js";

@ObjectType("UserError", { description: "Why a mutation changed nothing, for the caller to act upon." })
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

  /** @param within where in the input the error's own path begins */
  constructor(error: DomainError, within: FieldPath = []) {
    this.code = error.code;
    this.message = errorMessage(error);
    this.field = error.field ? [...within, ...error.field] : null;
  }
}
