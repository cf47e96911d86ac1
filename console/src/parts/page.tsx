import { type ReactNode, useEffect, useRef } from "react";

interface PageProps {
  readonly title: string;
  /** Link to the list that the page belongs to, shown above the heading. */
  readonly back?: { readonly href: string; readonly label: string };
  /** A sentence below the heading. */
  readonly description?: ReactNode;
  /** Shown next to the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Focuses the page heading after the focused element was removed. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
}

/** A page with its heading, which is focused on navigation so that screen readers announce it. */
export function Page({ title, back, description, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    document.title = `${title} – User groups`;
  }, [title]);
  return (
    <>
      {back && (
        <a className="back" href={back.href}>
          <span aria-hidden="true">← </span>
          {back.label}
        </a>
      )}
      <header className="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {description && <p className="fine">{description}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
