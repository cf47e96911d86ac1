import { parseJson } from "./exact-json.js";
import { Failure } from "./failure.js";

/** Sends a request with the session's cookie. @throws Failure if there is no reply */
export async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, {
      ...init,
      cache: "no-store",
      credentials: "same-origin",
      referrerPolicy: "no-referrer",
    });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Failure("The service is unreachable.", "NETWORK", null);
  }
}

/** Returns the JSON body of a reply. @throws Failure if another server replied, such as a proxy */
export async function readJson<T>(response: Response): Promise<T> {
  try {
    return parseJson<T>(await response.text());
  } catch {
    const message = `The reply is not from the service (status ${response.status}).`;
    throw new Failure(message, "NETWORK", response.headers.get("x-request-id"));
  }
}
