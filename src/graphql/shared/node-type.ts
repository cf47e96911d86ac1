import { Field, ID, InterfaceType } from "type-graphql";
import { toNodeId } from "./node-id.js";

@InterfaceType("Node", { description: "An object with a global ID." })
export abstract class NodeView {
  readonly #name: Parameters<typeof toNodeId>;

  /** @param name parts of the global ID, encoded only if it is read */
  constructor(...name: Parameters<typeof toNodeId>) {
    this.#name = name;
  }

  @GetterField(() => ID, { description: "The object's global ID, opaque and unique across all types." })
  get id(): string {
    return toNodeId(...this.#name);
  }
}

/**
 * Declares a getter as a field without arguments or context. On a getter, `Field` would create a full resolver with its overhead on
 * every read; this is as cheap as a property.
 */
export function GetterField(...field: Parameters<typeof Field>): PropertyDecorator {
  return (prototype, name) => Field(...field)(prototype, name);
}
