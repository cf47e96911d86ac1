import { type ReactNode, useEffect, useRef } from "react";

interface PageProps {
  readonly title: string;
  /** Shown next to the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Focuses the page heading after the focused element was removed. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
}

/** A page with its heading, which is focused on navigation so that screen readers announce it. */
export function Page({ title, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    document.title = `${title} – User groups`;
  }, [title]);
  return (
    <>
      <header className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
