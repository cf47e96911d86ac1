/** The variables of a request, by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** State of the evaluation of amounts for one request. */
interface Evaluation {
  readonly variables: Variables;
  /** Values of memoized formulas. */
  readonly memo: Map<Formula, number>;
}

type Formula = (evaluation: Evaluation) => number;

/**
 * An integer from 0 to `Number.MAX_SAFE_INTEGER`, at which it saturates: either a constant or a formula over the request's
 * variables. Only formulas are evaluated for each request.
 */
export type Amount = number | Formula;

/** Creates an amount that is computed from the variables. */
export function fromVariables(read: (variables: Variables) => number): Amount {
  return ({ variables }) => read(variables);
}

/** Adds two constants, saturating. */
export function plus(left: number, right: number): number {
  return saturate(left + right);
}

export function sum(amounts: readonly Amount[]): Amount {
  let known = 0;
  const formulas: Formula[] = [];
  for (const amount of amounts) {
    if (typeof amount === "number") known = plus(known, amount);
    else formulas.push(amount);
  }
  if (formulas.length === 0) return known;
  return (evaluation) => formulas.reduce((total, formula) => plus(total, formula(evaluation)), known);
}

export function product(left: Amount, right: Amount): Amount {
  if (typeof left === "number" && typeof right === "number") return saturate(left * right);
  if (left === 0 || right === 0) return 0;
  return (evaluation) => saturate(evaluateIn(left, evaluation) * evaluateIn(right, evaluation));
}

/** Returns an amount that is evaluated at most once per request, however often it is used. */
export function memoize(amount: Amount): Amount {
  if (typeof amount === "number") return amount;
  return ({ variables, memo }) => {
    const known = memo.get(amount);
    if (known !== undefined) return known;
    const value = amount({ variables, memo });
    memo.set(amount, value);
    return value;
  };
}

/** Evaluates an amount for a request. */
export function evaluate(amount: Amount, variables: Variables): number {
  return typeof amount === "number" ? amount : amount({ variables, memo: new Map() });
}

function evaluateIn(amount: Amount, evaluation: Evaluation): number {
  return typeof amount === "number" ? amount : amount(evaluation);
}

function saturate(value: number): number {
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}
