const MIB = 1024 * 1024;

/** Maximum values for one GraphQL operation (decision 27). */
export interface OperationLimits {
  /** Levels of nested fields; root fields are level 1. */
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** Lexical tokens in the document: names, punctuators and values. */
  readonly tokens: number;
  /** Fields and fragment spreads in the document, fragments not expanded. */
  readonly selections: number;
  /** Estimated number of fields in the reply. */
  readonly cost: number;
  /** Bytes of one reply or stream event. */
  readonly replyBytes: number;
}

export const DEFAULT_LIMITS: OperationLimits = {
  depth: 12,
  aliases: 60,
  rootFields: 60,
  tokens: 4000,
  selections: 800,
  cost: 25_000,
  replyBytes: 16 * MIB,
};

/** Lower limits without credentials; introspection by common tools has about 200 tokens. */
const ANONYMOUS_TOKENS = 500;
const ANONYMOUS_COST = 1000;

export function limitsWithoutCredentials(limits: OperationLimits): OperationLimits {
  return {
    ...limits,
    tokens: Math.min(limits.tokens, ANONYMOUS_TOKENS),
    cost: Math.min(limits.cost, ANONYMOUS_COST),
  };
}
