import { useState } from "react";
import { ConfirmDialog } from "./parts/confirm-dialog.js";
import { useSession } from "./session/session.js";

/** The signed-in account, and the buttons that sign out. */
export function AccountMenu({ onSignOut }: { readonly onSignOut: (isEverywhere: boolean) => void }) {
  const { viewer } = useSession();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <div className="account-menu">
      <details>
        <summary>
          <span className="account">{viewer.accountName}</span>
        </summary>
        <div className="menu">
          <p className="fine">
            Signed in with an API key of scope <span className="badge">{viewer.scope.toLowerCase()}</span>
          </p>
          <button type="button" onClick={() => setConfirming(true)}>
            Sign out everywhere…
          </button>
        </div>
      </details>
      <button type="button" onClick={() => onSignOut(false)}>
        Sign out
      </button>
      {isConfirming && (
        <ConfirmDialog
          title="Sign out everywhere?"
          action="Sign out everywhere"
          isBusy={false}
          failure={null}
          errors={[]}
          onConfirm={() => {
            setConfirming(false);
            onSignOut(true);
          }}
          onClose={() => setConfirming(false)}
        >
          <p>
            Ends the console sessions of all browsers that signed in with the same API keys. The keys
            themselves stay valid.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
