import { type ReactNode, useEffect, useRef } from "react";

interface PageProps {
  readonly title: string;
  /** What stands beside the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Brings the focus to where a page begins, when what had it is gone. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
}

/** A page with its heading, which gets the focus when somebody comes here, so that screen readers tell where they are. */
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
