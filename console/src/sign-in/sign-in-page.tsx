import { useEffect, useState } from "react";
import { type Client, createClient } from "../api/client.js";
import { Failure, toFailure } from "../api/failure.js";
import { ViewerDocument } from "../api/generated/operations.js";
import { Field } from "../parts/field.js";
import { Page } from "../parts/page.js";
import { Problem } from "../parts/problem.js";
import type { Session } from "../session/session.js";

/** Characters that are valid in a header; the service validates the rest. */
const SENDABLE = /^[\x21-\x7e]+$/;

interface SignInPageProps {
  /** The error that ended the last session. */
  readonly refusal: Failure | null;
  /** The demo account's API key, if the service provides it. */
  readonly demoKey: string | undefined;
  /** Called when the service later rejects the key of a client. */
  readonly onRefused: (client: Client, failure: Failure) => void;
  readonly onSignedIn: (session: Session) => void;
}

/** Asks for an API key, which is kept in memory only. */
export function SignInPage({ refusal, demoKey, onRefused, onSignedIn }: SignInPageProps) {
  const [key, setKey] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [titleBefore] = useState(document.title);
  useEffect(
    () => () => {
      document.title = titleBefore;
    },
    [titleBefore],
  );

  async function signIn(apiKey: string) {
    setBusy(true);
    setFailure(null);
    try {
      if (!SENDABLE.test(apiKey)) throw refuse("An API key contains only letters, digits and underscores.");
      const { viewer } = await createClient(apiKey, () => undefined).call(ViewerDocument, {});
      if (!viewer?.apiKey || viewer.accountName === null) throw refuse("This API key is not valid.");
      const {
        accountName,
        environment,
        apiKey: { scope },
      } = viewer;
      const client: Client = createClient(apiKey, (failure) => onRefused(client, failure));
      onSignedIn({ client, viewer: { accountName, environment, scope }, keyEnding: apiKey.slice(-4) });
    } catch (error) {
      setFailure(toFailure(error));
    } finally {
      setBusy(false);
    }
  }
  return (
    <main className="sign-in">
      <p className="brand">User groups</p>
      <Page title="Sign in">
        {refusal && !failure && (
          <div className="problem" role="alert">
            <p>Your session has ended: {refusal.message}</p>
            <p className="fine">Sign in to the same account to continue where you left off.</p>
          </div>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy) void signIn(key.trim());
          }}
        >
          <Field label="API key" hint="Kept only in the memory of this tab. Enter it again after a reload.">
            {(control) => (
              <input
                {...control}
                className="code"
                type="password"
                required
                autoComplete="off"
                spellCheck={false}
                placeholder="ugk_…"
                value={key}
                onChange={(event) => setKey(event.target.value)}
              />
            )}
          </Field>
          <Problem failure={failure} />
          <div className="actions">
            <button type="submit" className="primary" disabled={isBusy}>
              Sign in
            </button>
            {demoKey !== undefined && (
              <button type="button" disabled={isBusy} onClick={() => void signIn(demoKey)}>
                Use the demo key
              </button>
            )}
          </div>
        </form>
      </Page>
    </main>
  );
}

function refuse(message: string): Failure {
  return new Failure(message, "UNAUTHENTICATED", null);
}
