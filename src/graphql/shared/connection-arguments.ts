import { ArgsType, Field, Int } from "type-graphql";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageArguments } from "../../domain/shared/pagination.js";
import { nullable } from "./nullable.js";

/** The arguments of every connection (Relay's cursor connections). */
@ArgsType()
export class ConnectionArguments implements PageArguments {
  @Field(
    () => Int,
    nullable(
      `The number of items to return from the start of the list, at most ${MAX_PAGE_SIZE}. Defaults to ${DEFAULT_PAGE_SIZE} if neither \`first\` nor \`last\` is set.`,
    ),
  )
  readonly first?: number | null;

  @Field(() => String, nullable("Returns the items after this cursor."))
  readonly after?: string | null;

  @Field(
    () => Int,
    nullable(
      `The number of items to return from the end of the list, at most ${MAX_PAGE_SIZE}. Cannot be combined with \`first\`.`,
    ),
  )
  readonly last?: number | null;

  @Field(() => String, nullable("Returns the items before this cursor."))
  readonly before?: string | null;
}
