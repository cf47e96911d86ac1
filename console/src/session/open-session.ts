import { type Client, createClient } from "../api/client.js";
import { Failure, toFailure } from "../api/failure.js";
import { ViewerDocument } from "../api/generated/operations.js";
import {
  type BrowserSession,
  ENVIRONMENT_KEY,
  fetchSession,
  type Person,
  type SessionEnvironment,
} from "../api/session-api.js";
import type { Session } from "./session.js";

/**
 * Opens an environment of the browser's session.
 * @param onRefused called when the service later rejects the session
 * @throws Failure if the session has no valid key for the environment
 */
export async function openSession(
  environment: SessionEnvironment,
  browser: BrowserSession,
  onRefused: (client: Client, failure: Failure) => void,
): Promise<Session> {
  const client: Client = createClient(environment, (failure) => onRefused(client, failure));
  // Without `onRefused`: the session is not open yet.
  const { viewer } = await createClient(environment, () => undefined).call(ViewerDocument, {});
  if (!viewer?.scope || viewer.accountName === null)
    throw new Failure("This API key is not valid.", "UNAUTHENTICATED", null);
  sessionStorage.setItem(ENVIRONMENT_KEY, environment);
  const { accountName, scope, apiKey, tokenGraceSeconds, userGroupHistoryDays } = viewer;
  return {
    client,
    environment,
    browser,
    viewer: { accountName, environment: viewer.environment, scope, tokenGraceSeconds, userGroupHistoryDays },
    keyHint: apiKey?.hint ?? null,
    isOpen: true,
  };
}

interface Restoration {
  /** Called when the service later rejects the session. */
  readonly onRefused: (client: Client, failure: Failure) => void;
  /** Called if the session of a person cannot be renewed. */
  readonly onExpired?: (person: Person) => Promise<null>;
  /** Called if the browser is not signed in. */
  readonly onSignedOut?: () => Promise<null>;
}

const none = async () => null;

/** Opens the session after a reload. @returns null if the browser is not signed in, or no longer */
export async function restoreSession(restoration: Restoration): Promise<Session | null> {
  const { onRefused, onExpired = none, onSignedOut = none } = restoration;
  const browser = await fetchSession();
  const { environments, person } = browser;
  const last = sessionStorage.getItem(ENVIRONMENT_KEY);
  const environment = environments.find((each) => each === last) ?? environments[0];
  if (environment === undefined) return onSignedOut();
  try {
    return await openSession(environment, browser, onRefused);
  } catch (error) {
    const { code } = toFailure(error);
    if (code === "UNAUTHENTICATED") return person ? onExpired(person) : null;
    if (code === "FORBIDDEN") return null;
    throw error;
  }
}
