import { createContext, useContext } from "react";
import type { Client } from "../api/client.js";
import type { ApiKeyScope, Environment } from "../api/generated/operations.js";
import type { BrowserSession, SessionEnvironment } from "../api/session-api.js";

/** Each scope includes the ones before it. */
const SCOPES: readonly ApiKeyScope[] = ["READ", "EMBED", "WRITE", "ADMIN"];

/** The owner of the API key, or the person. */
export interface Viewer {
  readonly accountName: string;
  readonly environment: Environment;
  readonly scope: ApiKeyScope;
  /** How long a rotated user group token can still be used to read. */
  readonly tokenGraceSeconds: number;
  /** How many days former values of a user group are kept; 0 if they are not kept. */
  readonly userGroupHistoryDays: number;
}

/** A session in one environment. */
export interface Session {
  readonly client: Client;
  readonly environment: SessionEnvironment;
  /** The session of the browser, for all environments. */
  readonly browser: BrowserSession;
  readonly viewer: Viewer;
  /** The key's first and last characters, which identify it in the list of keys; null for a person. */
  readonly keyHint: string | null;
  /** False after the service has rejected the session: its page is hidden until the next sign-in. */
  readonly isOpen: boolean;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("Nobody is signed in.");
  return session;
}

/** Returns whether the API key or person has a scope or one that includes it. Actions without the required scope are hidden. */
export function useScope(scope: ApiKeyScope): boolean {
  const { viewer } = useSession();
  return SCOPES.indexOf(viewer.scope) >= SCOPES.indexOf(scope);
}
