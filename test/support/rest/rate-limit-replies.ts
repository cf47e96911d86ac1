import { expect } from "vitest";
import type { RestReply } from "./rest-client.js";

const WINDOW_S = 60;

/** A reply's rate limit headers; of the window's end only the format is checked. */
export function limitsOf({ headers }: Pick<RestReply, "headers">) {
  const reset = Number(headers["ratelimit-reset"]);
  const limits = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("ratelimit")));
  const { "ratelimit-reset": _reset, ratelimit, ...rest } = limits;
  return {
    ...rest,
    ratelimit: String(ratelimit).replace(/;t=(\d+)$/, (whole, seconds) =>
      Number(seconds) === reset && reset >= 1 && reset <= WINDOW_S ? ";t=ok" : whole,
    ),
    ...(headers["retry-after"] === undefined
      ? {}
      : { "retry-after": headers["retry-after"] === headers["ratelimit-reset"] ? "ok" : "wrong" }),
  };
}

/** The expected `limitsOf` for a remaining allowance. */
export function left(remaining: number, limit: number, policy = "requests") {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-policy": `"${policy}";q=${limit};w=${WINDOW_S}`,
    ratelimit: `"${policy}";r=${remaining};t=ok`,
  };
}

/** The same for a rejected request. */
export function refused(remaining: number, limit: number, policy = "requests") {
  return { ...left(remaining, limit, policy), "retry-after": "ok" };
}

/** The error message when the remaining allowance is too small. */
export function exceeded(limit: number, remaining: number, needed: number): unknown {
  return expect.stringMatching(
    new RegExp(
      `^The rate limit is a cost of ${limit} per ${WINDOW_S} s\\. The remaining cost is ${remaining}, but this request needs ${needed}\\. Try again in \\d+ s\\.$`,
    ),
  );
}
