import { useEffect, useState } from "react";
import type { Failure } from "../api/failure.js";
import { pageData } from "../api/page-data.js";
import { personSignIn } from "../api/session-api.js";
import { signInFailure } from "../api/sign-in-failure.js";
import { Page } from "../parts/page.js";
import { Problem } from "../parts/problem.js";
import { SiteHeader } from "../parts/site-header.js";
import { SignInForm, type SignInFormProps } from "./sign-in-form.js";

interface SignInPageProps extends SignInFormProps {
  /** The error that ended the last session. */
  readonly refusal: Failure | null;
}

/** Asks people to sign in with the identity provider, if there is one, or for an API key. */
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
              <p>
                {refusal.code === "UNAUTHENTICATED"
                  ? "Your session has ended: it has expired, or its API key has expired or was revoked."
                  : refusal.message}
              </p>
              <p className="fine">Sign in to the same account to continue where you left off.</p>
            </div>
          )}
          <Problem failure={signInFailure} />
          {pageData.has_identity_provider && (
            <p className="person-sign-in">
              {/* What has not been saved stays in this tab. */}
              <a className="button primary" href={personSignIn()} target={refusal ? "_blank" : undefined}>
                Sign in with your identity provider
              </a>
              <span className="fine">or with an API key</span>
            </p>
          )}
          <SignInForm {...form} />
          <p className="fine sign-in-help">
            No API key yet? Ask an administrator of your account, or create one on the server with the command{" "}
            <code>user-groups key create</code>, or from source with <code>npm run cli -- key create</code>.
          </p>
        </Page>
      </main>
    </>
  );
}
