import { useState } from "react";
import { CloseAction, Dialog } from "../parts/dialog.js";
import { OnDemand } from "../parts/on-demand.js";

const PLACEHOLDER = "An action, a page or a name";

/** Finds pages, actions, objects and documentation by typing, also before the list has loaded. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  return (
    <Dialog title="Search" onClose={onClose}>
      <div className="palette">
        <OnDemand
          load={loadCommandList}
          props={{ text, placeholder: PLACEHOLDER, onText: setText, onClose }}
          placeholder={
            <input
              aria-label="Search"
              placeholder={PLACEHOLDER}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          }
        />
      </div>
      <div className="narrow-only">
        <CloseAction onClose={onClose} />
      </div>
    </Dialog>
  );
}

async function loadCommandList() {
  return (await import("./command-list.js")).CommandList;
}
