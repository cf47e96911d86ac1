/** The variables of a request, by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** What is at hand while amounts are worked out for one request. */
interface Evaluation {
  readonly variables: Variables;
  /** What was worked out of the amounts that stand in several places. */
  readonly shared: Map<Formula, number>;
}

type Formula = (evaluation: Evaluation) => number;

/**
 * A whole number from 0 to `Number.MAX_SAFE_INTEGER`, where it stays: either known, or to be worked out from a request's
 * variables. Only the parts that hang on variables are worked out again for each request.
 */
export type Amount = number | Formula;

/** An amount that is read from the variables. */
export function fromVariables(read: (variables: Variables) => number): Amount {
  return ({ variables }) => read(variables);
}

/** Adds two known amounts. */
export function plus(left: number, right: number): number {
  return saturate(left + right);
}

/** Adds amounts up. */
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

/** Multiplies two amounts. */
export function product(left: Amount, right: Amount): Amount {
  if (typeof left === "number" && typeof right === "number") return saturate(left * right);
  if (left === 0 || right === 0) return 0;
  return (evaluation) => saturate(workOut(left, evaluation) * workOut(right, evaluation));
}

/** Makes an amount that may stand in many places without being worked out more than once for a request. */
export function share(amount: Amount): Amount {
  if (typeof amount === "number") return amount;
  return ({ variables, shared }) => {
    const known = shared.get(amount);
    if (known !== undefined) return known;
    const worked = amount({ variables, shared });
    shared.set(amount, worked);
    return worked;
  };
}

/** Works an amount out for a request. */
export function evaluate(amount: Amount, variables: Variables): number {
  return typeof amount === "number" ? amount : amount({ variables, shared: new Map() });
}

function workOut(amount: Amount, evaluation: Evaluation): number {
  return typeof amount === "number" ? amount : amount(evaluation);
}

function saturate(value: number): number {
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}
