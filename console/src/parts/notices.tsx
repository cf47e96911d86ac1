import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { focusHeading } from "./page.js";

const SHOWN_MS = 6000;
/** Long texts take longer to read. */
const SHOWN_MS_PER_CHARACTER = 100;
/** Long enough to reach the button by keyboard. */
const SHOWN_WITH_ACTION_MS = 30_000;

interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
}

interface Notice {
  readonly text: string;
  readonly action: NoticeAction | undefined;
  readonly isFailure: boolean;
  readonly count: number;
}

type Notify = (text: string, action?: NoticeAction, isFailure?: boolean) => void;

const NO_NOTICE: Notice = { text: "", action: undefined, isFailure: false, count: 0 };

const NotifyContext = createContext<Notify>(() => undefined);
const NoticeContext = createContext<{ readonly notice: Notice; readonly notify: Notify }>({
  notice: NO_NOTICE,
  notify: () => undefined,
});

/** Returns a function that shows a notice, which screen readers announce, with a button if it has an action. */
export function useNotice(): Notify {
  return useContext(NotifyContext);
}

export function Notices({ children }: { readonly children: ReactNode }) {
  const [notice, setNotice] = useState(NO_NOTICE);
  // A stable function avoids rerendering the consumers of the context.
  const [notify] = useState(
    (): Notify =>
      (text, action, isFailure = false) =>
        setNotice(({ count }) => ({ text, action, isFailure, count: count + 1 })),
  );
  useEffect(() => {
    if (notice.text === "") return;
    const readMs = Math.max(SHOWN_MS, notice.text.length * SHOWN_MS_PER_CHARACTER);
    const timer = setTimeout(() => notify(""), notice.action ? SHOWN_WITH_ACTION_MS : readMs);
    return () => clearTimeout(timer);
  }, [notice, notify]);
  return (
    <NotifyContext value={notify}>
      <NoticeContext value={{ notice, notify }}>
        {children}
        <NoticeRegion />
      </NoticeContext>
    </NotifyContext>
  );
}

/** Shows the current notice. Each dialog has a region, because an open dialog covers the page's and makes it inert. */
export function NoticeRegion() {
  const { notice, notify } = useContext(NoticeContext);
  const { text, action, isFailure, count } = notice;
  return (
    <div className="notices" role="status">
      {text && (
        <p key={count} className={isFailure ? "notice bad" : "notice"}>
          {text}
          {action && (
            <button
              type="button"
              onClick={() => {
                notify("");
                action.run();
                focusHeading();
              }}
            >
              {action.label}
            </button>
          )}
        </p>
      )}
    </div>
  );
}
