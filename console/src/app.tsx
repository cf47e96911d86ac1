import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { flushSync } from "react-dom";
import type { Client } from "./api/client.js";
import { Failure, toFailure } from "./api/failure.js";
import { pageData } from "./api/page-data.js";
import {
  signOut as endSession,
  type Person,
  reportChange,
  type SessionEnvironment,
  sessionChannel,
  signInAsPerson,
} from "./api/session-api.js";
import { signInFailure } from "./api/sign-in-failure.js";
import { Frame, StartingFrame } from "./frame.js";
import { clearBulkJobs } from "./groups/bulk-jobs.js";
import { closeDialogs } from "./parts/dialog.js";
import { LeaveDialog } from "./parts/leave-dialog.js";
import { clearNewSecret } from "./parts/new-secret.js";
import { Notices } from "./parts/notices.js";
import { focusHeading } from "./parts/page.js";
import { clearRecent } from "./parts/recent.js";
import { NavigationContext, useNavigation } from "./routing/navigation.js";
import { parseHash, parseSignIn } from "./routing/route.js";
import { openSession, restoreSession } from "./session/open-session.js";
import { createCache, QueryCache } from "./session/query-cache.js";
import { type Session, SessionContext } from "./session/session.js";
import { SignInPage } from "./sign-in/sign-in-page.js";

const SIGNED_OUT = "You signed out, or signed in to another account, in another tab.";

/** @param demoKey the demo account's API key, if the service provides it */
export function App({ demoKey }: { readonly demoKey: string | undefined }) {
  const navigation = useNavigation();
  const [cache] = useState(() => createCache());
  /** Why sessions were rejected. Rejections of a replaced session may arrive late. */
  const [refusals, setRefusals] = useState<ReadonlyMap<Client, Failure>>(new Map());
  const refuse = useCallback((client: Client, failure: Failure) => {
    // The role may have changed.
    if (failure.code === "FORBIDDEN") reportChange();
    else setRefusals((before) => new Map(before).set(client, failure));
  }, []);
  const [failed, setFailed] = useState(() => ({ failure: signInFailure, page: currentPage() }));
  const setFailure = (failure: Failure | null) => setFailed({ failure, page: currentPage() });
  // Another page does not show it.
  const failure = failed.page === currentPage() ? failed.failure : null;
  /** Leaves the page for the identity provider. @returns null if that fails: the sign-in page shows why */
  const leave = async (options: Parameters<typeof signInAsPerson>[0]): Promise<null> => {
    try {
      return await signInAsPerson(options);
    } catch (error) {
      setFailure(toFailure(error));
      return null;
    }
  };
  const restored = useQuery(
    {
      queryKey: ["session"],
      queryFn: () =>
        restoreSession({
          onRefused: refuse,
          onExpired: async (person) => (signInFailure ? null : leave(sameSignIn(person))),
          onSignedOut: async () => {
            const target = parseSignIn(parseHash(location.hash));
            return target && pageData.identity_provider !== undefined && !signInFailure
              ? leave(target)
              : null;
          },
        }),
      staleTime: Number.POSITIVE_INFINITY,
    },
    cache,
  );
  /** The session that was opened since, null after signing out; undefined if the restored one is in use. */
  const [opened, setOpened] = useState<Session | null>();
  const session = opened === undefined ? restored.data : opened;
  const refusal = (session && refusals.get(session.client)) ?? null;
  const isOpen = session !== null && refusal === null;
  const [isSigningOut, setSigningOut] = useState(false);
  useEffect(() => {
    if (session !== null) return;
    clearRecent();
    clearNewSecret();
    clearBulkJobs();
  }, [session]);

  const show = (next: Session | null) => {
    setOpened(next);
    setFailure(null);
    setSigningOut(false);
  };
  /** Runs an action that leaves the page. If it fails, the session stays as it is, and the error is shown. */
  const run = (title: string, action: () => Promise<Session | null>) =>
    navigation.leave(() => {
      action().then(show, (error: unknown) => {
        const { message, code, requestId } = toFailure(error);
        setSigningOut(false);
        setFailure(new Failure(`${title} ${message}`, code, requestId));
      });
    });
  /** Follows the other tabs. During an outage, the next request shows what has changed. */
  const onMessage = useEffectEvent(async ({ data: isSignedIn }: MessageEvent<boolean>) => {
    if (session === undefined) return;
    const next = isSignedIn ? await restoreSession({ onRefused: refuse }).catch(() => undefined) : null;
    const isSame =
      JSON.stringify([next?.viewer, next?.browser]) === JSON.stringify([session?.viewer, session?.browser]);
    if (next === undefined || (next ? isOpen && isSame : !isOpen)) return;
    if (!session || navigation.unsaved.size === 0 || placeOf(next) === placeOf(session)) show(next);
    else if (isOpen) refuse(session.client, new Failure(SIGNED_OUT, "SIGNED_OUT", null));
  });
  useEffect(() => {
    sessionChannel.addEventListener("message", onMessage);
    return () => sessionChannel.removeEventListener("message", onMessage);
  }, []);
  useEffect(() => {
    if (session) sessionChannel.postMessage(true);
  }, [session]);
  const signOut = (isEverywhere: boolean) =>
    run("You could not be signed out.", async () => {
      // The service ends the session's streams, which browsers log as an error unless the page has closed them.
      flushSync(() => setSigningOut(true));
      await endSession(isEverywhere);
      return null;
    });
  const switchAccount = (account: string) =>
    run(`The account ${account} could not be opened.`, () =>
      signInAsPerson({ account, route: location.hash }),
    );
  const switchTo = (environment: SessionEnvironment) =>
    run(`The environment ${environment} could not be opened.`, async () => {
      const browser = session?.browser ?? { environments: [] };
      try {
        return await openSession(environment, browser, refuse);
      } catch (error) {
        if (session && toFailure(error).code === "UNAUTHENTICATED") {
          if (browser.person) return signInAsPerson(sameSignIn(browser.person));
          // The next attempt asks for another key.
          const environments = browser.environments.filter((each) => each !== environment);
          setOpened({ ...session, browser: { environments } });
        }
        throw error;
      }
    });
  const canLeave = session?.browser.person !== undefined && navigation.unsaved.size === 0;
  const renew = useEffectEvent(() => {
    const person = session?.browser.person;
    if (person) void leave(sameSignIn(person));
  });
  useEffect(() => {
    if (refusal) closeDialogs();
    if (refusal?.code === "UNAUTHENTICATED" && canLeave) renew();
    else if (isOpen && document.activeElement === document.body) focusHeading();
  }, [refusal, isOpen, canLeave]);
  if (session === undefined) {
    const { failureReason, refetch } = restored;
    return (
      <NavigationContext value={navigation}>
        <StartingFrame failure={failureReason && toFailure(failureReason)} onRetry={() => void refetch()} />
      </NavigationContext>
    );
  }
  return (
    <NavigationContext value={navigation}>
      <Notices>
        {session && (
          // Keep unsaved edits when a key expires or is revoked: they are still there after the next sign-in.
          <div hidden={!isOpen} key={placeOf(session)}>
            <SessionContext value={{ ...session, isOpen: isOpen && !isSigningOut }}>
              <QueryCache canReload={() => navigation.unsaved.size === 0}>
                <Frame
                  failure={failure}
                  onSignOut={signOut}
                  onSwitchAccount={switchAccount}
                  onSwitch={switchTo}
                  onSignedIn={show}
                  onRefused={refuse}
                />
              </QueryCache>
            </SessionContext>
          </div>
        )}
        {!isOpen && (
          <SignInPage
            refusal={refusal}
            account={session?.viewer.accountName}
            failure={failure}
            demoKey={demoKey}
            onPersonSignIn={(target) => void leave(target)}
            onRefused={refuse}
            onSignedIn={show}
          />
        )}
        <LeaveDialog />
      </Notices>
    </NavigationContext>
  );
}

/** Returns the account and environment of a session; unsaved edits are kept for them. */
function placeOf(session: Session | null): string {
  return session ? `${session.viewer.accountName} ${session.viewer.environment}` : "";
}

/** The sign-in that renews a person's session, without asking, and returns to the current page. */
function sameSignIn({ account }: Person) {
  return { account, route: location.hash, silent: "true" } as const;
}

/** Returns the path of the current page. */
function currentPage(): string {
  return parseHash(location.hash).path.join("/");
}
