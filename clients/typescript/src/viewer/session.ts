import { pauseUnlessAborted, untilAborted } from "../abort.js";
import { parseJwtPart } from "../encoding.js";
import { isRefusal, ViewerError } from "./error.js";
import { MIN_GAP_MS, RETRY_GAP_MS } from "./timing.js";

/** Sessions are renewed this long before they expire, or after nine tenths of their lifetime. */
const RENEW_BEFORE_MS = 30_000;

/** An embed session as your server created it with `createEmbedSession`; as JSON, too. */
export interface ViewerSession {
  /** An embed session, or the user group's token, `ugt_…`. Never an API key. */
  readonly token: string;
  /** null for a user group token, which does not expire. Of an embed session, the lifetime in its token counts. */
  readonly expiresAt?: string | Date | null | undefined;
}

/** Fetches a session from the page's server: its reply, or what it contains. */
export type GetSession = (options: {
  /** Aborted after the timeout. */
  readonly signal: AbortSignal;
}) => ViewerSession | Response | Promise<ViewerSession | Response>;

/** A session as it is used. */
export interface Session {
  readonly token: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly renewAt: number;
}

/** Keeps the current session, and asks for a new one once for all callers. */
export function createSessions(getSession: GetSession, timeoutMs: number) {
  if (typeof getSession !== "function")
    throw new TypeError("`getSession` must be a function that fetches an embed session from your server.");
  let current: Session | undefined;
  let renewal: Promise<Session> | undefined;
  let earliestRenewal = 0;

  async function renew(): Promise<Session> {
    const waitMs = earliestRenewal - performance.now();
    if (waitMs > 0) await pauseUnlessAborted(waitMs, undefined);
    const limit = AbortSignal.timeout(timeoutMs);
    const load = async () => readSession(await contentOf(await getSession({ signal: limit })));
    try {
      current = await untilAborted(load(), limit);
      return current;
    } catch (cause) {
      earliestRenewal = performance.now() + (isRefusal(cause) ? MIN_GAP_MS : RETRY_GAP_MS);
      if (!limit.aborted) throw cause;
      throw new ViewerError("no_session", `\`getSession\` did not return within ${timeoutMs} ms.`);
    }
  }

  function currentSession(): Session | Promise<Session> {
    if (current && performance.now() < current.renewAt) return current;
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  /** Runs a task with the session, and again with a new one if the service refuses one that was loaded before. */
  async function withSession<T>(run: (session: Session) => Promise<T>): Promise<T> {
    for (let known = current; ; known = undefined) {
      const session = await currentSession();
      try {
        return await run(session);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        // A concurrent task may already have renewed it.
        if (current === session) current = undefined;
        if (known !== session) {
          earliestRenewal = performance.now() + MIN_GAP_MS;
          throw error;
        }
      }
    }
  }

  return { withSession, getToken: async () => (await currentSession()).token };
}

/** Returns what `getSession` returned, or its reply contains. */
async function contentOf(answer: unknown): Promise<unknown> {
  if (!(answer instanceof Response)) return answer;
  const { status } = answer;
  if (!answer.ok)
    throw new ViewerError("no_session", `Your server answered with HTTP status ${status}.`, { status });
  return answer.json().catch(() => null);
}

function readSession(content: unknown): Session {
  const { token, expiresAt }: { token?: unknown; expiresAt?: unknown } = Object(content);
  // Never send an API key from a page: it can read every group. User group tokens may have any other form.
  if (typeof token !== "string" || !/^(?!ugk_)[\x21-\x7e]{1,8192}$/.test(token))
    throw invalidSession(
      "no token. Return an embed session, as `createEmbedSession` does, and never an API key.",
    );
  if (expiresAt === null) return { token, variables: {}, renewAt: Number.POSITIVE_INFINITY };
  // The service verifies it. Other tokens have no claims.
  const { iat, exp, variables } = parseJwtPart(token.split(".")[1] ?? "") ?? {};
  // Not `expiresAt`: the viewer's clock may be wrong.
  const lifetimeMs = (Number(exp) - Number(iat)) * 1000;
  if (!(lifetimeMs > 0))
    throw invalidSession("a token without expiry. For a user group token, return `expiresAt: null`, too.");
  const renewAt = performance.now() + lifetimeMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 10);
  return { token, variables: Object(variables), renewAt };
}

function invalidSession(found: string): ViewerError {
  return new ViewerError("invalid_session", `\`getSession\` returned ${found}`);
}
