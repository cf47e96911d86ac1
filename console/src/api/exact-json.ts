declare global {
  interface JSON {
    /** Missing in browsers of 2024 and before: they show rounded numbers, but save only those that are edited. */
    rawJSON?(text: string): object;
  }
}

/** A number that JavaScript would round or write in another way, such as 0.1234567890123456789 and 1.50. */
export class ExactNumber {
  constructor(private readonly source: string) {}

  toString(): string {
    return this.source;
  }

  toJSON(): unknown {
    return JSON.rawJSON?.(this.source) ?? Number(this.source);
  }
}

/** Parses JSON text. Numbers keep their digits. @throws SyntaxError */
export function parseJson<T>(text: string): T {
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && context?.source !== undefined && context.source !== String(value)
      ? new ExactNumber(context.source)
      : value,
  );
}
