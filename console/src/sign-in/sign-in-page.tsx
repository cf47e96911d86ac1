import { useEffect, useState } from "react";
import type { Failure } from "../api/failure.js";
import { Page } from "../parts/page.js";
import { SiteHeader } from "../parts/site-header.js";
import { SignInForm, type SignInFormProps } from "./sign-in-form.js";

interface SignInPageProps extends SignInFormProps {
  /** The error that ended the last session. */
  readonly refusal: Failure | null;
}

/** Asks for an API key. */
export function SignInPage({ refusal, ...form }: SignInPageProps) {
  const [titleBefore] = useState(document.title);
  useEffect(
    () => () => {
      document.title = titleBefore;
    },
    [titleBefore],
  );
  return (
    <>
      <header>
        <SiteHeader />
      </header>
      <main className="sign-in">
        <Page title="Sign in" description="Manage the user groups, data sources and keys of your account.">
          {refusal && (
            <div className="problem" role="alert">
              <p>Your session has ended: it has expired, or its API key has expired or was revoked.</p>
              <p className="fine">Sign in to the same account to continue where you left off.</p>
            </div>
          )}
          <SignInForm {...form} />
          <p className="fine sign-in-help">
            No API key yet? Ask an administrator of your account, or create one on the server with the command{" "}
            <code>user-groups key create</code>, in a checkout <code>npm run cli -- key create</code>.
          </p>
        </Page>
      </main>
    </>
  );
}
