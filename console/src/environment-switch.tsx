import { useState } from "react";
import type { SessionEnvironment } from "./api/session-api.js";
import { Dialog } from "./parts/dialog.js";
import { useSession } from "./session/session.js";
import { SignInForm, type SignInFormProps } from "./sign-in/sign-in-form.js";

const ENVIRONMENTS: readonly SessionEnvironment[] = ["Customer", "Testing"];

interface EnvironmentSwitchProps extends Pick<SignInFormProps, "onRefused" | "onSignedIn"> {
  readonly onSwitch: (environment: SessionEnvironment) => void;
}

/** Switches between the account's environments. An environment without a key asks for one first. */
export function EnvironmentSwitch({ onSwitch, onRefused, onSignedIn }: EnvironmentSwitchProps) {
  const { environment, browser } = useSession();
  const [missing, setMissing] = useState<SessionEnvironment | null>(null);
  return (
    <>
      <section className="environments" aria-label="Environment">
        {ENVIRONMENTS.map((each) => (
          <button
            key={each}
            type="button"
            className={each.toLowerCase()}
            aria-pressed={each === environment}
            data-command={`Switch to ${each}`}
            onClick={() => {
              if (each === environment) return;
              if (browser.environments.includes(each)) onSwitch(each);
              else setMissing(each);
            }}
          >
            {each}
          </button>
        ))}
      </section>
      {missing && (
        <Dialog title={`Sign in to ${missing}`} onClose={() => setMissing(null)}>
          <p>
            Enter an API key of the environment {missing}. You stay signed in to {environment} and can switch
            between both.
          </p>
          <SignInForm
            onRefused={onRefused}
            onSignedIn={(session) => {
              setMissing(null);
              onSignedIn(session);
            }}
          />
        </Dialog>
      )}
    </>
  );
}
