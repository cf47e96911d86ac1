import { isObject, type JsonObject, type JsonValue } from "../../shared/json.js";

type Container = readonly JsonValue[] | JsonObject;
type Primitive = Exclude<JsonValue, Container>;

/** Assigns IDs to JSON values: equal values have equal IDs. The order of keys is ignored. */
export class JsonIdentities {
  readonly #ofPrimitives = new Map<Primitive, number>();
  readonly #ofSerialized = new Map<string, number>();
  readonly #ofContainers = new Map<Container, number>();
  #count = 0;

  /** Takes linear time on the first call for a value. Recursive: limit the nesting depth. */
  idOf(value: JsonValue): number {
    if (value === null || typeof value !== "object") return this.#assignId(this.#ofPrimitives, value);
    const known = this.#ofContainers.get(value);
    if (known !== undefined) return known;
    const id = this.#assignId(this.#ofSerialized, this.#serialize(value));
    this.#ofContainers.set(value, id);
    return id;
  }

  /** Serializes a container with IDs in place of its items, so that the length does not grow with their size. */
  #serialize(value: Container): string {
    if (!isObject(value)) return `[${value.map((item) => this.idOf(item)).join()}]`;
    const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${this.idOf(item)}`);
    return `{${members.toSorted().join()}}`;
  }

  #assignId<Key>(ids: Map<Key, number>, key: Key): number {
    const known = ids.get(key);
    if (known !== undefined) return known;
    ids.set(key, this.#count);
    return this.#count++;
  }
}
