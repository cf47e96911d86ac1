import { useId, useState } from "react";
import { ConfirmDialog } from "./parts/confirm-dialog.js";
import { Icon } from "./parts/icon.js";
import { ThemeSwitch } from "./parts/theme-switch.js";
import { useSession } from "./session/session.js";

export interface AccountMenuProps {
  readonly onSignOut: (isEverywhere: boolean) => void;
  readonly onSwitchAccount: (account: string) => void;
}

/** The signed-in account, and a menu to switch to another one or sign out. */
export function AccountMenu({ onSignOut, onSwitchAccount }: AccountMenuProps) {
  const { viewer, browser } = useSession();
  const { person } = browser;
  const menu = useId();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <div className="account-menu">
      <button
        type="button"
        popoverTarget={menu}
        aria-label={`Account ${viewer.accountName}${person ? `, ${person.name}` : ""}`}
      >
        <span className="account">{person?.name ?? viewer.accountName}</span> <Icon path="M6 9l6 6 6-6" />
      </button>
      <div id={menu} popover="auto" className="menu">
        <p className="account-name">{viewer.accountName}</p>
        <p className="fine">
          {person ? `Signed in as ${person.name} with the` : "Signed in with an API key of"} scope{" "}
          <span className="badge">{viewer.scope.toLowerCase()}</span>
        </p>
        {person?.accounts
          .filter((account) => account !== viewer.accountName)
          .map((account) => (
            <button
              key={account}
              type="button"
              popoverTarget={menu}
              popoverTargetAction="hide"
              onClick={() => onSwitchAccount(account)}
            >
              Switch to {account}
            </button>
          ))}
        <div className="narrow-only">
          <ThemeSwitch />
        </div>
        <button
          type="button"
          popoverTarget={menu}
          popoverTargetAction="hide"
          onClick={() => onSignOut(false)}
        >
          Sign out
        </button>
        <button type="button" onClick={() => setConfirming(true)}>
          Sign out everywhere…
        </button>
      </div>
      {isConfirming && (
        <ConfirmDialog
          title="Sign out everywhere?"
          action="Sign out everywhere"
          onConfirm={() => {
            setConfirming(false);
            onSignOut(true);
          }}
          onClose={() => setConfirming(false)}
        >
          <p>
            {person
              ? "Ends your console sessions in all browsers."
              : "Ends the console sessions of all browsers that signed in with the same API keys. The keys themselves stay valid."}
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
