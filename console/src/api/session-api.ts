import { Failure } from "./failure.js";
import { readJson, send } from "./http.js";
import { pageData } from "./page-data.js";

/** The environments of an account, as the session names them. */
export type SessionEnvironment = "Customer" | "Testing";

/** The key of the selected environment in the storage of the tab, so that two tabs can show two environments. */
export const ENVIRONMENT_KEY = "user-groups:environment";

/** A person whom the identity provider has signed in. */
export interface Person {
  readonly name: string;
  readonly account: string;
  readonly accounts: readonly string[];
}

export interface BrowserSession {
  readonly environments: readonly SessionEnvironment[];
  /** Undefined with API keys. */
  readonly person?: Person;
}

interface SignedIn extends BrowserSession {
  /** The environment of the API key. */
  readonly environment: SessionEnvironment;
}

interface RestError {
  readonly error?: { readonly code: string; readonly message: string; readonly request_id?: string };
}

// Relative, because the service may be served below a path prefix of a proxy.
const SESSION = "session";
const ALL_SESSIONS = "sessions";
const REFRESH = "session/refresh";
const SIGN_IN = "sign-in";
/** Required for requests that change the session (CSRF protection). */
const HEADERS = { "x-console": "session" };

/** Sends other tabs of this browser whether a session is open. */
export const sessionChannel = new BroadcastChannel("user-groups:session");

/** Notifies this tab that the roles of the session may have changed. */
export function reportChange(): void {
  sessionChannel.dispatchEvent(new MessageEvent("message", { data: true }));
}

/** Returns the session of this browser; without environments if nobody is signed in. */
export async function fetchSession(url = SESSION): Promise<BrowserSession> {
  return receive(await send(url, {}));
}

let renewal: Promise<boolean> | undefined;

/**
 * Has the roles of a person read again, in one tab at a time: a refresh token may be used only once.
 * @returns false if the session cannot be renewed
 * @throws Failure `FORBIDDEN` if the person has lost the role
 */
export async function renewSession(url = REFRESH): Promise<boolean> {
  if (pageData.identity_provider === undefined) return false;
  const renew = async () => {
    const response = await send(url, { method: "POST", headers: HEADERS });
    if (response.status === 401) return false;
    await receive(response);
    sessionChannel.postMessage(true);
    reportChange();
    return true;
  };
  // Browsers have no locks without HTTPS.
  renewal ??= (
    "locks" in navigator ? navigator.locks.request("user-groups:session", renew) : renew()
  ).finally(() => {
    renewal = undefined;
  });
  return renewal;
}

interface PersonSignIn {
  /** The account to open, instead of the first one in which the person has a role. */
  readonly account?: string | undefined;
  /** The page to open afterwards, as a URL fragment. */
  readonly route: string;
  /** Set if the provider must not ask the person for anything. */
  readonly silent?: "true";
}

let leaving: Promise<never> | undefined;
// The browser may show the page again as it was when it was left.
addEventListener("pageshow", () => {
  leaving = undefined;
});

/** Leaves the page for the identity provider, which sends the browser back. Does not return. @throws Failure */
export function signInAsPerson({ account, route, silent }: PersonSignIn): Promise<never> {
  const leave = async (): Promise<never> => {
    const parameters = new URLSearchParams({
      console: location.pathname,
      route: new URL(route, location.href).hash.slice(0, 1000) || "#/",
      ...(account !== undefined && { account }),
      ...(silent && { silent }),
    });
    const response = await send(`${SIGN_IN}?${parameters}`, { method: "POST", headers: HEADERS });
    const { sign_in_url: url } = await receive<{ readonly sign_in_url: string }>(response);
    location.replace(url);
    return new Promise(() => undefined);
  };
  // A second one would replace the first one's cookie.
  leaving ??= leave().catch((error: unknown) => {
    leaving = undefined;
    throw error;
  });
  return leaving;
}

/** Signs in with an API key, in addition to a key of the account's other environment. */
export async function signIn(apiKey: string): Promise<SignedIn> {
  const body = JSON.stringify({ api_key: apiKey });
  const headers = { ...HEADERS, "content-type": "application/json" };
  return receive(await send(SESSION, { method: "POST", headers, body }));
}

/** Signs out, a person also at the identity provider. @param isEverywhere whether to end the sessions of all browsers with the same API keys or person */
export async function signOut(isEverywhere: boolean): Promise<void> {
  const path = isEverywhere ? ALL_SESSIONS : SESSION;
  const url = `${path}?${new URLSearchParams({ console: location.pathname })}`;
  const response = await send(url, { method: "DELETE", headers: HEADERS });
  const provider =
    response.status === 204 ? null : await receive<{ readonly sign_out_url: string }>(response);
  sessionChannel.postMessage(false);
  if (provider) location.assign(provider.sign_out_url);
}

async function receive<T>(response: Response): Promise<T> {
  const body = await readJson<T & RestError>(response);
  if (response.ok) return body;
  const { code = "internal", message = `Status ${response.status}.`, request_id: id } = body.error ?? {};
  const retryAfter = Number(response.headers.get("retry-after")) || undefined;
  throw new Failure(message, code.toUpperCase(), id ?? response.headers.get("x-request-id"), retryAfter);
}
