import { type Client, createClient } from "../api/client.js";
import { Failure, toFailure } from "../api/failure.js";
import { ViewerDocument } from "../api/generated/operations.js";
import { ENVIRONMENT_KEY, fetchEnvironments, type SessionEnvironment } from "../api/session-api.js";
import type { Session } from "./session.js";

/**
 * Opens an environment of the browser's session.
 * @param onRefused called when the service later rejects the session
 * @throws Failure if the session has no valid key for the environment
 */
export async function openSession(
  environment: SessionEnvironment,
  environments: readonly SessionEnvironment[],
  onRefused: (client: Client, failure: Failure) => void,
): Promise<Session> {
  const client: Client = createClient(environment, (failure) => onRefused(client, failure));
  // Without `onRefused`: the session is not open yet.
  const { viewer } = await createClient(environment, () => undefined).call(ViewerDocument, {});
  if (!viewer?.apiKey || viewer.accountName === null)
    throw new Failure("This API key is not valid.", "UNAUTHENTICATED", null);
  sessionStorage.setItem(ENVIRONMENT_KEY, environment);
  const { accountName, apiKey, tokenGraceSeconds } = viewer;
  return {
    client,
    environment,
    environments,
    viewer: { accountName, environment: viewer.environment, scope: apiKey.scope, tokenGraceSeconds },
    keyEnding: apiKey.hint.slice(-4),
  };
}

/** Opens the session after a reload. @returns null if the browser is not signed in, or no longer */
export async function restoreSession(
  onRefused: (client: Client, failure: Failure) => void,
): Promise<Session | null> {
  const environments = await fetchEnvironments();
  const last = sessionStorage.getItem(ENVIRONMENT_KEY);
  const environment = environments.find((each) => each === last) ?? environments[0];
  if (environment === undefined) return null;
  try {
    return await openSession(environment, environments, onRefused);
  } catch (error) {
    if (toFailure(error).code === "UNAUTHENTICATED") return null;
    throw error;
  }
}
