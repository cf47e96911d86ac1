/** What one GraphQL operation may ask for at most (decision 27). */
export interface OperationLimits {
  /** Levels of fields within each other; a field of the operation itself is the first. */
  readonly depth: number;
  readonly aliases: number;
  /** Fields of the operation itself. */
  readonly rootFields: number;
  /** Lexical tokens of the whole document: names, punctuators and values. */
  readonly tokens: number;
  /** About as many fields as the reply may have. */
  readonly cost: number;
}

export const DEFAULT_LIMITS: OperationLimits = {
  depth: 12,
  aliases: 60,
  rootFields: 60,
  tokens: 4000,
  cost: 20_000,
};
