import { useState } from "react";
import type { Client } from "../api/client.js";
import { type Failure, toFailure } from "../api/failure.js";
import { signIn } from "../api/session-api.js";
import { errorAt, type UserErrors } from "../api/user-errors.js";
import { TextField } from "../parts/field.js";
import { Form } from "../parts/form.js";
import { Problem } from "../parts/problem.js";
import { openSession } from "../session/open-session.js";
import type { Session } from "../session/session.js";

/** Other texts than API keys, with an explanation. The service validates the rest. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/^$/, "Enter an API key."],
  [
    /^ugt_/,
    "This is a user group token, for your servers. The console needs an API key, which starts with ugk_.",
  ],
  [
    /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/,
    "This is an embed session (a JWT), for the page of one viewer. The console needs an API key, which starts with ugk_.",
  ],
  [/[^\x21-\x7e]/, "An API key contains only letters, digits and underscores."],
  [/^(?!ugk_)/, "An API key starts with ugk_."],
];

export interface SignInFormProps {
  /** The demo account's API key, if the service provides it. */
  readonly demoKey?: string | undefined;
  /** Called when the service later rejects the session. */
  readonly onRefused: (client: Client, failure: Failure) => void;
  readonly onSignedIn: (session: Session) => void;
}

/** Asks for an API key, which is exchanged for a session cookie and not stored by the page. */
export function SignInForm({ demoKey, onRefused, onSignedIn }: SignInFormProps) {
  const [key, setKey] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [errors, setErrors] = useState<UserErrors>([]);

  async function open(apiKey: string) {
    setFailure(null);
    setErrors([]);
    const [, message] = MISTAKES.find(([pattern]) => pattern.test(apiKey)) ?? [];
    if (message !== undefined) return setErrors([{ code: "INVALID_FIELD", message, field: ["apiKey"] }]);
    setBusy(true);
    try {
      const { environment, ...browser } = await signIn(apiKey);
      onSignedIn(await openSession(environment, browser, onRefused));
    } catch (error) {
      setFailure(toFailure(error));
    } finally {
      setBusy(false);
    }
  }
  return (
    <Form errors={errors} onSubmit={() => void open(key.trim())}>
      <TextField
        label="API key"
        hint="You stay signed in on this browser for 12 hours."
        error={errorAt(errors, "apiKey")}
        className="code"
        type="password"
        spellCheck={false}
        placeholder="ugk_…"
        value={key}
        onChange={setKey}
      />
      <Problem failure={failure} />
      <div className="actions">
        <button type="submit" className="primary" aria-disabled={isBusy}>
          Sign in
        </button>
        {demoKey !== undefined && (
          <button type="button" aria-disabled={isBusy} onClick={() => void open(demoKey)}>
            Use the demo key
          </button>
        )}
      </div>
    </Form>
  );
}
