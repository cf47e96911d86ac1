/** Counts by name. A name whose count is 0 takes no memory. */
export class CountsByName {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** @param amount negative to subtract @returns the new count */
  add(name: string, amount: number): number {
    const count = (this.#counts.get(name) ?? 0) + amount;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
    return count;
  }
}
