import { ArgsType, Field, Int } from "type-graphql";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageArguments } from "../../domain/shared/page.js";

/** The arguments of every connection (Relay's cursor connections). */
@ArgsType()
export class ConnectionArguments implements PageArguments {
  @Field(() => Int, {
    nullable: true,
    description: `How many items from the start, at most ${MAX_PAGE_SIZE}; ${DEFAULT_PAGE_SIZE} when neither first nor last is given.`,
  })
  readonly first?: number | null;

  @Field(() => String, { nullable: true, description: "Only items after the one with this cursor." })
  readonly after?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: `How many items from the end, at most ${MAX_PAGE_SIZE}; not together with first.`,
  })
  readonly last?: number | null;

  @Field(() => String, { nullable: true, description: "Only items before the one with this cursor." })
  readonly before?: string | null;
}
