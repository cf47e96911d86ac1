import { Field, ID, InterfaceType } from "type-graphql";

@InterfaceType("Node", { description: "An object with a global id." })
export abstract class NodeView {
  @Field(() => ID, { description: "The global id: opaque, and unique over all types." })
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }
}
