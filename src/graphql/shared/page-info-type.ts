import { Field, ObjectType } from "type-graphql";

@ObjectType("PageInfo", { description: "Where a page lies in its list.", simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: "Whether more items follow this page." })
  readonly hasNextPage: boolean;

  @Field(() => Boolean, { description: "Whether more items precede this page." })
  readonly hasPreviousPage: boolean;

  @Field(() => String, { nullable: true, description: "The cursor of the page's first item." })
  readonly startCursor: string | null;

  @Field(() => String, { nullable: true, description: "The cursor of the page's last item." })
  readonly endCursor: string | null;

  constructor(info: PageInfo) {
    this.hasNextPage = info.hasNextPage;
    this.hasPreviousPage = info.hasPreviousPage;
    this.startCursor = info.startCursor;
    this.endCursor = info.endCursor;
  }
}
