import { onTestFinished, vi } from "vitest";
import {
  createViewer,
  type GetSession,
  type ViewerOptions,
  type ViewerState,
} from "../../../clients/typescript/src/browser.js";

/** Answers a request of the viewer. */
export type Fetch = (request: {
  readonly isStream: boolean;
  readonly token: string;
}) => Response | Promise<Response>;

export const HOUR_MS = 3_600_000;

/** Returns an embed session with a worthless signature. @param claims in place of those of a session of 15 minutes */
export function sessionToken(claims: Readonly<Record<string, unknown>> = {}): string {
  const payload = { iat: 1_000, exp: 1_900, variables: {}, ...claims };
  return `eyJ.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.sig`;
}

/** A page with a viewer, in fake time. */
export interface FakePage {
  readonly viewer: ReturnType<typeof createViewer>;
  /** When `getSession` was called, and when the service was, in milliseconds. */
  readonly sessions: readonly number[];
  readonly requests: readonly { readonly at: number; readonly isStream: boolean; readonly token: string }[];
  /** Replaces the answers. */
  answer(fetch: Fetch, getSession?: GetSession): void;
  /** Shows the page again. */
  becomeVisible(): void;
  hide(): void;
  getOffline(): void;
  getOnline(): void;
}

/** Creates a page until the test ends. Time passes with `vi.advanceTimersByTimeAsync`. */
export function createFakePage(
  fetch: Fetch,
  getSession?: GetSession,
  options: Pick<ViewerOptions, "retryForMs"> = {},
): FakePage {
  vi.useFakeTimers();
  vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
    const limit = new AbortController();
    setTimeout(() => limit.abort(), milliseconds);
    return limit.signal;
  });
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("document", document);
  const window = new EventTarget();
  vi.stubGlobal("addEventListener", window.addEventListener.bind(window));
  const navigator = { onLine: true };
  vi.stubGlobal("navigator", navigator);
  const show = (visibilityState: string) => {
    document.visibilityState = visibilityState;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  const sessions: number[] = [];
  const requests: { at: number; isStream: boolean; token: string }[] = [];
  const answers = {
    fetch,
    getSession: getSession ?? (() => ({ token: sessionToken({ n: sessions.length }) })),
  };
  vi.stubGlobal("fetch", (input: string | Request, init?: RequestInit) => {
    const { headers, signal } = new Request(input, init);
    const isStream = headers.get("accept") === "text/event-stream";
    const request = { isStream, token: headers.get("authorization") ?? "" };
    requests.push({ at: performance.now(), ...request });
    return abortable(async () => answers.fetch(request), signal);
  });
  const viewer = createViewer({
    ...options,
    url: "https://groups.example.com",
    getSession(init) {
      sessions.push(performance.now());
      return answers.getSession(init);
    },
  });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
  return {
    viewer,
    sessions,
    requests,
    answer(next, nextSession = answers.getSession) {
      Object.assign(answers, { fetch: next, getSession: nextSession });
    },
    becomeVisible: () => show("visible"),
    hide: () => show("hidden"),
    getOffline() {
      navigator.onLine = false;
    },
    getOnline() {
      navigator.onLine = true;
      window.dispatchEvent(new Event("online"));
    },
  };
}

/** Watches until the test ends. @returns the states */
export function watch({ viewer }: FakePage): ViewerState[] {
  const states: ViewerState[] = [];
  onTestFinished(viewer.watch((state) => void states.push(state)));
  return states;
}

export const group = (version: number, more: object = {}) => ({
  id: "g",
  version,
  name: `V${version}`,
  properties: null,
  mapping: [],
  ...more,
});

export const groupReply = (version: number) =>
  Response.json({ data: { viewer: { userGroup: group(version) } } });

export const next = (userGroup: object | null) =>
  `event: next\ndata: ${JSON.stringify({ data: { userGroupChanged: { userGroup } } })}\n\n`;

/** An event stream that the test writes. */
export class FakeStream {
  readonly reply: Response;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(...texts: readonly string[]) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
    });
    this.reply = new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
    for (const text of texts) this.send(text);
  }

  send(text: string): void {
    this.#controller?.enqueue(new TextEncoder().encode(text));
  }

  /** Ends the connection. */
  cut(): void {
    this.#controller?.error(new TypeError("terminated"));
  }
}

/** Never answers. */
export const silence = () => new Promise<never>(() => undefined);

/** Rejects, or ends the body, when the signal is aborted, as fetch does. */
async function abortable(start: () => Promise<Response>, signal: AbortSignal) {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const { body, headers, status } = await Promise.race([start(), aborted]);
  return new Response(body?.pipeThrough(new TransformStream(), { signal }), { headers, status });
}
