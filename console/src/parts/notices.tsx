import { createContext, type ReactNode, useContext, useEffect, useState } from "react";

const SHOWN_MS = 10_000;

const NoticeContext = createContext<(text: string) => void>(() => undefined);

/** @returns what tells that something has been done, also to those who do not see it */
export function useNotice(): (text: string) => void {
  return useContext(NoticeContext);
}

/** Holds the region for notices, and lets what is in it give some. */
export function Notices({ children }: { readonly children: ReactNode }) {
  const [notice, setNotice] = useState({ text: "", count: 0 });
  // The same function each time: what it is given to need not be drawn again.
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
