import { Failure } from "./failure.js";
import { readJson, send } from "./http.js";

/** The environments of an account, as the session names them. */
export type SessionEnvironment = "Customer" | "Testing";

/** The key of the selected environment in the storage of the tab, so that two tabs can show two environments. */
export const ENVIRONMENT_KEY = "user-groups:environment";

interface SignedIn {
  /** The environment of the API key. */
  readonly environment: SessionEnvironment;
  readonly environments: readonly SessionEnvironment[];
}

interface RestError {
  readonly error?: { readonly code: string; readonly message: string; readonly request_id?: string };
}

// Relative, because the service may be served below a path prefix of a proxy.
const SESSION = "session";
const ALL_SESSIONS = "sessions";
/** Required for requests that change the session (CSRF protection). */
const HEADERS = { "x-console": "session", "content-type": "application/json" };

/** Returns the environments that this browser is signed in to. */
export async function fetchEnvironments(url = SESSION): Promise<readonly SessionEnvironment[]> {
  const { environments } = await receive<SignedIn>(await send(url, {}));
  return environments;
}

/** Signs in with an API key, in addition to a key of the account's other environment. */
export async function signIn(apiKey: string): Promise<SignedIn> {
  const body = JSON.stringify({ api_key: apiKey });
  return receive(await send(SESSION, { method: "POST", headers: HEADERS, body }));
}

/** Signs out. @param isEverywhere whether to end the sessions of all browsers with the same API keys */
export async function signOut(isEverywhere: boolean): Promise<void> {
  const { "x-console": console } = HEADERS;
  const url = isEverywhere ? ALL_SESSIONS : SESSION;
  const response = await send(url, { method: "DELETE", headers: { "x-console": console } });
  if (!response.ok) await receive(response);
}

async function receive<T>(response: Response): Promise<T> {
  const body = await readJson<T & RestError>(response);
  if (response.ok) return body;
  const { code = "internal", message = `Status ${response.status}.`, request_id: id } = body.error ?? {};
  const retryAfter = Number(response.headers.get("retry-after")) || undefined;
  throw new Failure(message, code.toUpperCase(), id ?? response.headers.get("x-request-id"), retryAfter);
}
