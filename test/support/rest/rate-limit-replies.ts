import { expect } from "vitest";
import type { RestReply } from "./rest-client.js";

const WINDOW_S = 60;

/** The headers about the rate limit of a reply, but for those about when the window ends, of which only the form is certain. */
export function limitsOf({ headers }: Pick<RestReply, "headers">) {
  const reset = Number(headers["ratelimit-reset"]);
  const told = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("ratelimit")));
  const { "ratelimit-reset": _reset, ratelimit, ...rest } = told;
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

/** What `limitsOf` finds when so much is left of a limit. */
export function left(remaining: number, limit: number, policy = "requests") {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-policy": `"${policy}";q=${limit};w=${WINDOW_S}`,
    ratelimit: `"${policy}";r=${remaining};t=ok`,
  };
}

/** The same for a request that was refused. */
export function refused(remaining: number, limit: number, policy = "requests") {
  return { ...left(remaining, limit, policy), "retry-after": "ok" };
}

/** The message to whom too little is left. */
export function exceeded(limit: number, remaining: number, needed: number): unknown {
  return expect.stringMatching(
    new RegExp(
      `^The rate limit is a cost of ${limit} per ${WINDOW_S} s\\. The remaining cost is ${remaining}, but this request needs ${needed}\\. Try again in \\d+ s\\.$`,
    ),
  );
}
