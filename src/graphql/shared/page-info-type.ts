import { Field, ObjectType } from "type-graphql";
import { nullable } from "./nullable.js";

@ObjectType("PageInfo", { description: "Information about a page of a list.", simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: "Indicates whether more items follow this page." })
  readonly hasNextPage!: boolean;

  @Field(() => Boolean, { description: "Indicates whether more items precede this page." })
  readonly hasPreviousPage!: boolean;

  @Field(() => String, nullable("The cursor of the page's first item; null if the page is empty."))
  readonly startCursor!: string | null;

  @Field(() => String, nullable("The cursor of the page's last item; null if the page is empty."))
  readonly endCursor!: string | null;
}
