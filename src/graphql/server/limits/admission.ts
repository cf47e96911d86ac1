import type { GraphQLError } from "graphql";
import { DomainError, type ErrorCode } from "../../../domain/shared/errors.js";
import type { GraphqlContext } from "../../shared/context.js";
import { limitsWithoutCredentials, type OperationLimits } from "../../shared/operation-limits.js";
import type { PreparedOperation } from "../operations/prepared-operation.js";
import type { Variables } from "./amount.js";

/** Decides which operations run, the same for every transport (decision 27). */
export class Admission {
  readonly #limits: OperationLimits;
  readonly #anonymousLimits: OperationLimits;

  constructor(limits: OperationLimits) {
    this.#limits = limits;
    this.#anonymousLimits = limitsWithoutCredentials(limits);
  }

  /**
   * Checks an operation before it runs, and begins the budget of its reply. What bounds the effort of validation is checked first.
   * @returns validation errors: the operation may run if there are none
   * @throws DomainError of the first limit that is exceeded; `unauthenticated` and `forbidden` for fields that the caller may not read
   */
  admit(
    prepared: PreparedOperation,
    variables: Variables,
    { session }: GraphqlContext,
  ): readonly GraphQLError[] {
    const limits = session ? this.#limits : this.#anonymousLimits;
    const { tokenCount = Number.POSITIVE_INFINITY } = prepared.document;
    // The parser has refused what no caller may send; a request without credentials may send less.
    requireAtMost("too_many_tokens", "tokens", tokenCount, limits);
    // Validation compares each field with every other one that may have its name in the reply.
    requireAtMost("query_too_expensive", "selections", prepared.selections(), limits);
    const anonymousRefusal = session ? null : prepared.refusalWithoutCredentials();
    if (anonymousRefusal) throw anonymousRefusal;
    const cost = requireWithin(limits, prepared, variables);
    const errors = prepared.validationErrors();
    if (errors.length > 0) return errors;
    const frontEndRefusal = session?.kind === "frontEnd" ? prepared.refusalToFrontEnds() : null;
    if (frontEndRefusal) throw frontEndRefusal;
    session?.loaders.budget.begin({
      // A mutation is not undone: only the bytes of its reply are bounded.
      costLeft: prepared.operation?.operation === "mutation" ? Number.POSITIVE_INFINITY : limits.cost - cost,
      costLimit: limits.cost,
      bytes: limits.replyBytes,
    });
    return errors;
  }
}

/** @returns the cost of the operation @throws DomainError of the first limit that it exceeds */
function requireWithin(limits: OperationLimits, prepared: PreparedOperation, variables: Variables): number {
  const measure = prepared.measure();
  if (!measure) return 0;
  requireAtMost("query_too_deep", "depth", measure.depth, limits);
  requireAtMost("too_many_aliases", "aliases", measure.aliases, limits);
  requireAtMost("too_many_root_fields", "rootFields", measure.rootFields, limits);
  const cost = measure.costFor(variables);
  requireAtMost("query_too_expensive", "cost", cost, limits);
  return cost;
}

/** How an error says how much of something a query has. */
const AMOUNTS = {
  tokens: (actual: number) => `has ${actual} tokens`,
  selections: (actual: number) => `has ${actual} fields and fragment spreads`,
  depth: (actual: number) => `is ${actual} levels deep`,
  aliases: (actual: number) => `has ${actual} aliases`,
  rootFields: (actual: number) => `has ${actual} root fields`,
  cost: (actual: number) => `costs ${actual}`,
} as const;

function requireAtMost(
  code: ErrorCode,
  name: keyof typeof AMOUNTS,
  actual: number,
  limits: OperationLimits,
): void {
  const limit = limits[name];
  if (actual <= limit) return;
  throw new DomainError(
    code,
    `The query ${AMOUNTS[name](actual)}; at most ${limit} ${limit === 1 ? "is" : "are"} allowed.`,
    { figures: { limit, actual } },
  );
}
