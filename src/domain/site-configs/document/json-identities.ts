import { isObject, type JsonObject, type JsonValue } from "../../shared/json.js";

type Container = readonly JsonValue[] | JsonObject;
type Primitive = Exclude<JsonValue, Container>;

/** Numbers JSON values so that two are equal where their numbers are; the order of keys does not count. */
export class JsonIdentities {
  readonly #ofPrimitives = new Map<Primitive, number>();
  readonly #ofForms = new Map<string, number>();
  readonly #ofContainers = new Map<Container, number>();
  #count = 0;

  /** Takes time linear in the size of the value, once; recurses as deep as it is. */
  idOf(value: JsonValue): number {
    if (value === null || typeof value !== "object") return this.#number(this.#ofPrimitives, value);
    const known = this.#ofContainers.get(value);
    if (known !== undefined) return known;
    const id = this.#number(this.#ofForms, this.#formOf(value));
    this.#ofContainers.set(value, id);
    return id;
  }

  /** Writes a container with numbers for what is in it, so that its length does not grow with what is below. */
  #formOf(value: Container): string {
    if (!isObject(value)) return `[${value.map((item) => this.idOf(item)).join()}]`;
    const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${this.idOf(item)}`);
    return `{${members.toSorted().join()}}`;
  }

  #number<Key>(ids: Map<Key, number>, key: Key): number {
    const known = ids.get(key);
    if (known !== undefined) return known;
    ids.set(key, this.#count);
    return this.#count++;
  }
}
