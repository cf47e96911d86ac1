import { createContext, useContext } from "react";
import type { Client } from "../api/client.js";
import type { ViewerQuery } from "../api/generated/operations.js";

type Scope = "read" | "embed" | "write" | "admin";

/** Each scope includes the ones before it. */
const SCOPES: readonly string[] = ["read", "embed", "write", "admin"] satisfies Scope[];

export type Viewer = NonNullable<ViewerQuery["viewer"]>;

/** A session with one API key. */
export interface Session {
  readonly client: Client;
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
export function useScope(scope: Scope): boolean {
  const { viewer } = useSession();
  return SCOPES.indexOf(viewer.scope) >= SCOPES.indexOf(scope);
}
