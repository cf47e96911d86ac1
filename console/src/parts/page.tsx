import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";

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

/** What was focused when the page was opened. */
const OpenedFrom = createContext<Element | null>(null);

/** Opens a page, which may take a while to load. */
export function PageOpening({ children }: { readonly children: ReactNode }) {
  const [focused] = useState(() => document.activeElement);
  return <OpenedFrom value={focused}>{children}</OpenedFrom>;
}

/**
 * A page with its heading, which is focused on navigation so that screen readers announce it, unless another control was focused while the
 * page was loading.
 */
export function Page({ title, back, description, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const openedFrom = useContext(OpenedFrom);
  useEffect(() => {
    const { activeElement, body } = document;
    if (activeElement === body || activeElement === openedFrom) heading.current?.focus();
  }, [openedFrom]);
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
