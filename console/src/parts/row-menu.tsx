import { useId, useRef } from "react";
import { Icon } from "./icon.js";

interface RowMenuProps {
  /** Name of the row's object. */
  readonly name: string;
  readonly actions: readonly RowAction[];
}

interface RowAction {
  readonly label: string;
  readonly isRed?: boolean;
  readonly run: () => void;
}

/** The actions of a table row: a popover of buttons, which Tab reaches and Escape closes. */
export function RowMenu({ name, actions }: RowMenuProps) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={`Actions for ${name}`}
        title="Actions"
        popoverTarget={id}
      >
        <Icon path="M12 5v.01M12 12v.01M12 19v.01" />
      </button>
      <div id={id} ref={menu} popover="auto" className="menu row-menu">
        {actions.map(({ label, isRed = false, run }) => (
          <button
            key={label}
            type="button"
            className={isRed ? "danger" : undefined}
            data-command={`${label.replace("…", "")} ${name}`}
            onClick={() => {
              // First: it returns the focus to the button of the menu, where a dialog finds and leaves it.
              menu.current?.hidePopover();
              run();
            }}
          >
            {label}
          </button>
        ))}
      </div>
    </>
  );
}
