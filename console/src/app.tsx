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

/** @param demoKey the key of the demo account, where the service gives it away */
export function App({ demoKey }: { readonly demoKey: string | undefined }) {
  const navigation = useNavigation();
  const [session, setSession] = useState<Session | null>(null);
  const [refusal, setRefusal] = useState<Failure | null>(null);
  const present = useRef<Client | null>(null);
  const { unsaved } = navigation;

  const signIn = useCallback((opened: Session) => {
    present.current = opened.client;
    setSession(opened);
    setRefusal(null);
  }, []);
  const refuse = useCallback((client: Client, failure: Failure) => {
    // The key before may hear late that it has ended: that ends nothing now.
    if (client !== present.current) return;
    closeDialogs();
    setRefusal(failure);
  }, []);
  const signOut = useCallback(() => {
    if (unsaved.size > 0 && !confirm(LEAVE_QUESTION)) return;
    unsaved.clear();
    present.current = null;
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
          // A key that ends in the midst of an edit takes nothing away: what was typed waits for the next one.
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
