const MIB = 1024 * 1024;

/** What one GraphQL operation may ask for at most (decision 27). */
export interface OperationLimits {
  /** Levels of fields within each other; a field of the operation itself is the first. */
  readonly depth: number;
  readonly aliases: number;
  /** Fields of the operation itself. */
  readonly rootFields: number;
  /** Lexical tokens of the whole document: names, punctuators and values. */
  readonly tokens: number;
  /** Fields and fragment spreads that are written in the whole document. */
  readonly selections: number;
  /** About as many fields as the reply may have. */
  readonly cost: number;
  /** Bytes of one reply, or of one event of a stream. */
  readonly replyBytes: number;
}

export const DEFAULT_LIMITS: OperationLimits = {
  depth: 12,
  aliases: 60,
  rootFields: 60,
  tokens: 4000,
  selections: 800,
  cost: 20_000,
  replyBytes: 16 * MIB,
};

/** What a request without credentials may have besides: introspection as tools do it has some 200 tokens. */
const ANONYMOUS_TOKENS = 500;
const ANONYMOUS_COST = 1000;

/** The limits of a request without credentials. */
export function limitsWithoutCredentials(limits: OperationLimits): OperationLimits {
  return {
    ...limits,
    tokens: Math.min(limits.tokens, ANONYMOUS_TOKENS),
    cost: Math.min(limits.cost, ANONYMOUS_COST),
  };
}
