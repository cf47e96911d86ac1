import { Failure } from "./failure.js";

/** By the reason in the URL. */
const MESSAGES: Readonly<Record<string, string>> = {
  forbidden:
    "The identity provider knows you, but you have no role here, or not in this account. Ask an administrator for one.",
  unavailable: "The identity provider cannot be used at the moment. Try again later, or use an API key.",
  expired: "Your session has ended. Sign in again.",
};
const query = new URLSearchParams(location.search);
const reason = query.get("sign-in");

/** Why the sign-in with the identity provider that led to this page failed; null if none did. */
export const signInFailure =
  reason === null
    ? null
    : new Failure(
        MESSAGES[reason] ?? "The sign-in did not succeed. Try again.",
        "SIGN_IN",
        query.get("request"),
      );
// A reload does not show it again.
if (signInFailure) history.replaceState(null, "", location.pathname + location.hash);
