import { createContext, useContext } from "react";
import type { Client } from "../api/client.js";
import type { ApiKeyScope, Environment } from "../api/generated/operations.js";
import type { SessionEnvironment } from "../api/session-api.js";

/** Each scope includes the ones before it. */
const SCOPES: readonly ApiKeyScope[] = ["READ", "EMBED", "WRITE", "ADMIN"];

/** The owner of the API key. */
export interface Viewer {
  readonly accountName: string;
  readonly environment: Environment;
  readonly scope: ApiKeyScope;
  /** How long a rotated user group token can still be used to read. */
  readonly tokenGraceSeconds: number;
}

/** A session in one environment. */
export interface Session {
  readonly client: Client;
  readonly environment: SessionEnvironment;
  /** The environments that the browser is signed in to. */
  readonly environments: readonly SessionEnvironment[];
  readonly viewer: Viewer;
  /** The key's last four characters, which identify it in the list of keys. */
  readonly keyEnding: string;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("Nobody is signed in.");
  return session;
}

/** Returns whether the API key has a scope or one that includes it. Actions without the required scope are hidden. */
export function useScope(scope: ApiKeyScope): boolean {
  const { viewer } = useSession();
  return SCOPES.indexOf(viewer.scope) >= SCOPES.indexOf(scope);
}
