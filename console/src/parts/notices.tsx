import { createContext, type ReactNode, useContext, useEffect, useState } from "react";

const SHOWN_MS = 6000;
const NO_NOTICE = { text: "", count: 0 };

const NotifyContext = createContext<(text: string) => void>(() => undefined);
const NoticeContext = createContext(NO_NOTICE);

/** Returns a function that shows a notice, which screen readers announce. */
export function useNotice(): (text: string) => void {
  return useContext(NotifyContext);
}

/** Provides notices to its children. */
export function Notices({ children }: { readonly children: ReactNode }) {
  const [notice, setNotice] = useState(NO_NOTICE);
  // A stable function avoids rerendering the consumers of the context.
  const [notify] = useState(() => (text: string) => setNotice(({ count }) => ({ text, count: count + 1 })));
  useEffect(() => {
    if (notice.text === "") return;
    const timer = setTimeout(() => notify(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, notify]);
  return (
    <NotifyContext value={notify}>
      <NoticeContext value={notice}>
        {children}
        <NoticeRegion />
      </NoticeContext>
    </NotifyContext>
  );
}

/** Shows the current notice. Each dialog has a region, because an open dialog covers the page's and makes it inert. */
export function NoticeRegion() {
  const { text, count } = useContext(NoticeContext);
  return (
    <div className="notices" role="status">
      {text && (
        <p key={count} className="notice">
          {text}
        </p>
      )}
    </div>
  );
}
