import type { Environment } from "../accounts/environment.js";

/** Lifetime of a console session; then the API key must be entered again. */
export const CONSOLE_SESSION_SECONDS = 12 * 3600;

/** An API key of a console session. */
export interface SessionKey {
  readonly secret: string;
  /** When the key was entered. */
  readonly signedInAt: Date;
}

/** The API keys of a signed-in browser: at most one per environment, of one account. */
export type ConsoleSession = Partial<Readonly<Record<Environment, SessionKey>>>;
