import { useContext } from "react";
import { NavigationContext } from "../routing/navigation.js";
import { Dialog } from "./dialog.js";

/** Asks whether to leave a page with unsaved changes. */
export function LeaveDialog() {
  const { pending, decide } = useContext(NavigationContext);
  if (!pending) return null;
  return (
    <Dialog title="Leave this page?" onClose={() => decide(false)}>
      <p>Your changes are not saved.</p>
      <div className="actions end">
        <button type="button" onClick={() => decide(false)}>
          Stay
        </button>
        <button type="button" className="danger" onClick={() => decide(true)}>
          Leave without saving
        </button>
      </div>
    </Dialog>
  );
}
