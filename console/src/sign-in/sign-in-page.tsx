import { useEffect, useState } from "react";
import type { Failure } from "../api/failure.js";
import { pageData } from "../api/page-data.js";
import { Page } from "../parts/page.js";
import { Problem } from "../parts/problem.js";
import { SiteHeader } from "../parts/site-header.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf, parseSignIn, type SignInTarget } from "../routing/route.js";
import { SignInForm, type SignInFormProps } from "./sign-in-form.js";

const PERSON_SIGN_IN = "Sign in with your identity provider";

interface SignInPageProps extends SignInFormProps {
  /** The error that ended the last session. */
  readonly refusal: Failure | null;
  /** The account of that session. */
  readonly account: string | undefined;
  /** Why the last sign-in with the identity provider failed. */
  readonly failure: Failure | null;
  readonly onPersonSignIn: (target: SignInTarget) => void;
}

/** Asks people to sign in with the identity provider, if there is one, or for an API key. */
export function SignInPage({ refusal, account, failure, onPersonSignIn, ...form }: SignInPageProps) {
  const { path, query } = useRoute();
  const provider = pageData.identity_provider;
  const target = parseSignIn({ path, query }) ?? { account, route: hashOf(path, query) };
  const [titleBefore] = useState(document.title);
  useEffect(
    () => () => {
      document.title = titleBefore;
    },
    [titleBefore],
  );
  const keySignIn = (
    <>
      <SignInForm {...form} />
      <p className="fine sign-in-help">
        No API key yet? Ask an administrator of your account, or create one on the server with the command{" "}
        <code>user-groups key create</code>, or from source with <code>npm run cli -- key create</code>.
      </p>
    </>
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
          <Problem failure={failure} />
          {provider !== undefined && (
            <p className="person-sign-in">
              {refusal ? (
                // This tab keeps unsaved changes.
                <a
                  className="button primary"
                  href={hashOf(["sign-in"], { ...target })}
                  target="_blank"
                  rel="noopener"
                >
                  {PERSON_SIGN_IN}
                </a>
              ) : (
                <button type="button" className="primary" onClick={() => onPersonSignIn(target)}>
                  {PERSON_SIGN_IN}
                </button>
              )}
              <span className="fine">{provider}</span>
            </p>
          )}
          {provider === undefined ? (
            keySignIn
          ) : (
            <details className="key-sign-in">
              <summary>Sign in with an API key</summary>
              {keySignIn}
            </details>
          )}
        </Page>
      </main>
    </>
  );
}
