import { useCallback, useEffect, useRef, useState } from "react";
import type { Client } from "./api/client.js";
import { type Failure, toFailure } from "./api/failure.js";
import { signOut as endSession, type SessionEnvironment } from "./api/session-api.js";
import { Frame } from "./frame.js";
import { closeDialogs } from "./parts/dialog.js";
import { LeaveDialog } from "./parts/leave-dialog.js";
import { Notices } from "./parts/notices.js";
import { focusHeading } from "./parts/page.js";
import { NavigationContext, useNavigation } from "./routing/navigation.js";
import { openSession, restoreSession } from "./session/open-session.js";
import { QueryCache } from "./session/query-cache.js";
import { type Session, SessionContext } from "./session/session.js";
import { SignInPage } from "./sign-in/sign-in-page.js";

/** @param demoKey the demo account's API key, if the service provides it */
export function App({ demoKey }: { readonly demoKey: string | undefined }) {
  const navigation = useNavigation();
  const [isRestoring, setRestoring] = useState(true);
  const [session, setSession] = useState<Session | null>(null);
  const [refusal, setRefusal] = useState<Failure | null>(null);
  const currentClient = useRef<Client | null>(null);

  const show = useCallback((opened: Session | null) => {
    currentClient.current = opened?.client ?? null;
    setSession(opened);
    setRefusal(null);
  }, []);
  const refuse = useCallback((client: Client, failure: Failure) => {
    // Ignore late rejections of a previous session.
    if (client !== currentClient.current) return;
    closeDialogs();
    setRefusal(failure);
  }, []);
  useEffect(() => {
    restoreSession(refuse)
      .then(show, (error: unknown) => {
        const failure = toFailure(error);
        if (failure.code !== "UNAUTHENTICATED") setRefusal(failure);
      })
      .finally(() => setRestoring(false));
  }, [show, refuse]);

  const { leave } = navigation;
  const signOut = (isEverywhere: boolean) =>
    leave(() => {
      endSession(isEverywhere).then(
        () => show(null),
        (error: unknown) => setRefusal(toFailure(error)),
      );
    });
  const switchTo = (environment: SessionEnvironment) =>
    leave(() => {
      openSession(environment, session?.environments ?? [], refuse).then(show, (error: unknown) =>
        setRefusal(toFailure(error)),
      );
    });
  const isOpen = session !== null && refusal === null;
  useEffect(() => {
    if (isOpen && document.activeElement === document.body) focusHeading();
  }, [isOpen]);
  if (isRestoring) return null;
  return (
    <NavigationContext value={navigation}>
      <Notices>
        {session && (
          // Keep unsaved edits when a key expires or is revoked: they are still there after the next sign-in.
          <div hidden={!isOpen} key={`${session.viewer.accountName} ${session.viewer.environment}`}>
            <SessionContext value={session}>
              <QueryCache>
                <Frame onSignOut={signOut} onSwitch={switchTo} onSignedIn={show} onRefused={refuse} />
              </QueryCache>
            </SessionContext>
          </div>
        )}
        {!isOpen && <SignInPage refusal={refusal} demoKey={demoKey} onRefused={refuse} onSignedIn={show} />}
        <LeaveDialog />
      </Notices>
    </NavigationContext>
  );
}
