import { GraphQLError, Lexer, Source, TokenKind } from "graphql";
import { type ErrorCode } from "../../../domain/shared/error-catalogue.js";
import { DomainError } from "../../../domain/shared/errors.js";
import type { GraphqlContext } from "../../shared/context.js";
import { limitsWithoutCredentials, type OperationLimits } from "../../shared/operation-limits.js";
import type { PreparedOperation } from "../operations/prepared-operation.js";
import type { OperationMeasure, Variables } from "./operation-measure.js";

/** Applies operation limits and access rules, the same for every transport (decision 27). */
export class Admission {
  readonly #anonymousLimits: OperationLimits;

  constructor(private readonly limits: OperationLimits) {
    this.#anonymousLimits = limitsWithoutCredentials(limits);
  }

  /**
   * Checks an operation and starts its reply budget. Limits come before validation, because they bound its cost.
   * @returns validation errors; the operation may run if there are none
   * @throws DomainError for the first exceeded limit; `unauthenticated` or `forbidden` for fields the caller may not access
   */
  admit(prepared: PreparedOperation, variables: Variables, context: GraphqlContext): readonly GraphQLError[] {
    const { session } = context;
    const limits = session ? this.limits : this.#anonymousLimits;
    const { tokenCount = Number.POSITIVE_INFINITY } = prepared.document;
    // The parser enforces the general token limit; the limit without credentials is lower.
    requireWithinLimit("too_many_tokens", "tokens", tokenCount, limits);
    // Validation compares every pair of fields with the same response name, which is quadratic.
    const { count, fields } = prepared.selections();
    requireWithinLimit("query_too_expensive", "selections", count, limits);
    const anonymousError = session ? null : prepared.anonymousError();
    if (anonymousError) throw anonymousError;
    const { depth, aliases, rootFields, cost } = prepared.measure() ?? NOTHING;
    requireWithinLimit("query_too_deep", "depth", depth, limits);
    requireWithinLimit("too_many_aliases", "aliases", aliases, limits);
    requireWithinLimit("too_many_root_fields", "rootFields", rootFields, limits);
    const actualCost = typeof cost === "number" ? cost : cost(variables);
    requireWithinLimit("query_too_expensive", "cost", actualCost, limits);
    const errors = prepared.validationErrors();
    if (errors.length > 0) return errors;
    const frontEndError = session?.kind === "frontEnd" ? prepared.frontEndError() : null;
    if (frontEndError) throw frontEndError;
    context.fields = fields;
    session?.loaders.budget.begin({
      // A mutation that has run cannot be undone: limit only the size of its reply.
      costLeft:
        prepared.operation?.operation === "mutation" ? Number.POSITIVE_INFINITY : limits.cost - actualCost,
      costLimit: limits.cost,
      bytes: limits.replyBytes,
    });
    return errors;
  }
}

/** Measure of a document without an operation of the requested name; the executor reports it. */
const NOTHING: OperationMeasure = { depth: 0, aliases: 0, rootFields: 0, cost: 0 };

/** Parts of the error messages by limit. */
const LIMIT_DESCRIPTIONS = {
  tokens: (actual: number) => `has ${actual} tokens`,
  selections: (actual: number) => `has ${actual} fields and fragment spreads`,
  depth: (actual: number) => `is ${actual} levels deep`,
  aliases: (actual: number) => `has ${actual} aliases`,
  rootFields: (actual: number) => `has ${actual} root fields`,
  cost: (actual: number) => `costs ${actual}`,
} as const;

function requireWithinLimit(
  code: ErrorCode,
  name: keyof typeof LIMIT_DESCRIPTIONS,
  actual: number,
  limits: OperationLimits,
): void {
  const limit = limits[name];
  if (actual <= limit) return;
  throw new DomainError(
    code,
    `The query ${LIMIT_DESCRIPTIONS[name](actual)}; at most ${limit} ${limit === 1 ? "is" : "are"} allowed.`,
    { details: { limit, actual } },
  );
}

/**
 * Returns `too_many_tokens` if a parse error was caused by the token limit. The parser enforces the limit, but reports it only in
 * the message of its error.
 * @param error the parser's error, possibly wrapped by Apollo Server
 */
export function tokenLimitError(error: unknown, limit: number): DomainError | undefined {
  const isSyntaxError = error instanceof GraphQLError && error.nodes === undefined;
  if (!isSyntaxError || !error.source || !hasMoreTokens(error.source.body, limit)) return undefined;
  return new DomainError("too_many_tokens", `The query has more than ${limit} tokens.`, {
    details: { limit },
  });
}

function hasMoreTokens(text: string, limit: number): boolean {
  const lexer = new Lexer(new Source(text));
  try {
    for (let count = 0; count <= limit; count += 1) {
      if (lexer.advance().kind === TokenKind.EOF) return false;
    }
    return true;
  } catch {
    // The lexer fails on the same syntax error as the parser.
    return false;
  }
}
