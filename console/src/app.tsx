import { useCallback, useEffect, useRef, useState } from "react";
import type { Client } from "./api/client.js";
import type { Failure } from "./api/failure.js";
import { Frame } from "./frame.js";
import { closeDialogs } from "./parts/dialog.js";
import { Notices } from "./parts/notices.js";
import { focusHeading } from "./parts/page.js";
import { LEAVE_QUESTION, NavigationContext, useNavigation } from "./routing/navigation.js";
import { type Session, SessionContext } from "./session/session.js";
import { SignInPage } from "./sign-in/sign-in-page.js";

/** @param demoKey the demo account's API key, if the service provides it */
export function App({ demoKey }: { readonly demoKey: string | undefined }) {
  const navigation = useNavigation();
  const [session, setSession] = useState<Session | null>(null);
  const [refusal, setRefusal] = useState<Failure | null>(null);
  const currentClient = useRef<Client | null>(null);
  const { unsaved } = navigation;

  const signIn = useCallback((opened: Session) => {
    currentClient.current = opened.client;
    setSession(opened);
    setRefusal(null);
  }, []);
  const refuse = useCallback((client: Client, failure: Failure) => {
    // Ignore late rejections of a previous key.
    if (client !== currentClient.current) return;
    closeDialogs();
    setRefusal(failure);
  }, []);
  const signOut = useCallback(() => {
    if (unsaved.size > 0 && !confirm(LEAVE_QUESTION)) return;
    unsaved.clear();
    currentClient.current = null;
    setSession(null);
  }, [unsaved]);
  const isOpen = session !== null && refusal === null;
  useEffect(() => {
    if (isOpen && document.activeElement === document.body) focusHeading();
  }, [isOpen]);
  return (
    <NavigationContext value={navigation}>
      <Notices>
        {session && (
          // Keep unsaved edits when a key expires or is revoked: they are still there after the next sign-in.
          <div hidden={!isOpen} key={`${session.viewer.accountName} ${session.viewer.environment}`}>
            <SessionContext value={session}>
              <Frame onSignOut={signOut} />
            </SessionContext>
          </div>
        )}
        {!isOpen && <SignInPage refusal={refusal} demoKey={demoKey} onRefused={refuse} onSignedIn={signIn} />}
      </Notices>
    </NavigationContext>
  );
}
