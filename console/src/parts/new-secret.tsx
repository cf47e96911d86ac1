import { createContext, type ReactNode, useContext, useState } from "react";
import { type Session, useSession } from "../session/session.js";
import { Dialog } from "./dialog.js";
import { Secret } from "./secret.js";

const SECRETS = {
  apiKey: {
    title: "API key created",
    label: "API key",
    use: (
      <>
        Clients send it as <code>Authorization: Token</code>.
      </>
    ),
  },
  endpoint: {
    title: "Endpoint created",
    label: "Signing secret",
    use: "Your server verifies the signatures of requests with it.",
  },
  rotation: {
    title: "Secret rotated",
    label: "Signing secret",
    use: "Your server verifies the signatures of requests with it. For a day, they are signed with the old secret too.",
  },
} as const;

type Kind = keyof typeof SECRETS;

interface NewSecret {
  /** The account, and the person or API key, that may see it. */
  readonly owner: string;
  readonly environment: string;
  readonly kind: Kind;
  readonly secret: string;
}

/**
 * The service never returns a new secret again, and without it the key or endpoint is active but useless: it must survive a reload. Only
 * this tab and origin can read its session storage, whose scripts could create keys with the session anyway, and which no other site's scripts
 * run in (Content-Security-Policy). The secret is removed once the user has copied it, at sign-out, and when another account or person signs in.
 */
const STORAGE_KEY = "user-groups:new-secret";

export function clearNewSecret(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

const ShowContext = createContext<(kind: Kind, secret: string) => void>(() => undefined);

/** Returns a function that shows a new secret until the user confirms that it was copied. */
export function useShowSecret() {
  return useContext(ShowContext);
}

/** Shows the new secret of this account and environment, above all pages. */
export function NewSecrets({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  const [shown, setShown] = useState(() => readSecret(session));

  function show(kind: Kind, secret: string) {
    const next = { owner: ownerOf(session), environment: session.environment, kind, secret };
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(next));
    setShown(next);
  }
  function confirm() {
    clearNewSecret();
    setShown(null);
  }
  return (
    <ShowContext value={show}>
      {children}
      {shown && session.isOpen && <SecretDialog {...shown} onConfirm={confirm} />}
    </ShowContext>
  );
}

function SecretDialog({ kind, secret, onConfirm }: NewSecret & { readonly onConfirm: () => void }) {
  const { title, label, use } = SECRETS[kind];
  return (
    <Dialog title={title} isKept onClose={() => undefined}>
      <p>Copy it now: it is shown only once.</p>
      <Secret label={label} value={secret} isShown />
      <p>{use}</p>
      <div className="actions end">
        <button type="button" className="primary" onClick={onConfirm}>
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}

function readSecret(session: Session): NewSecret | null {
  const stored: NewSecret | null = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null");
  if (stored === null) return null;
  if (stored.owner === ownerOf(session)) return stored.environment === session.environment ? stored : null;
  clearNewSecret();
  return null;
}

function ownerOf({ viewer, browser, keyHint }: Session): string {
  return `${viewer.accountName} ${browser.person?.name ?? keyHint}`;
}
