import { createContext, type ReactNode, useContext, useEffect, useState } from "react";

const SHOWN_MS = 10_000;

const NoticeContext = createContext<(text: string) => void>(() => undefined);

/** Returns a function that shows a notice, which screen readers announce. */
export function useNotice(): (text: string) => void {
  return useContext(NoticeContext);
}

/** Provides the notice region to its children. */
export function Notices({ children }: { readonly children: ReactNode }) {
  const [notice, setNotice] = useState({ text: "", count: 0 });
  // A stable function avoids rerendering the consumers of the context.
  const [notify] = useState(() => (text: string) => setNotice(({ count }) => ({ text, count: count + 1 })));
  useEffect(() => {
    if (notice.text === "") return;
    const timer = setTimeout(() => notify(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, notify]);
  return (
    <NoticeContext value={notify}>
      {children}
      <div className="notices" role="status">
        {notice.text && (
          <p key={notice.count} className="notice">
            {notice.text}
          </p>
        )}
      </div>
    </NoticeContext>
  );
}
