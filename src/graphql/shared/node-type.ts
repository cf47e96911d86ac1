import { ID, InterfaceType } from "type-graphql";
import { GetterField } from "./getter-field.js";
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
