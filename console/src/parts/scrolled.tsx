import type { ReactNode } from "react";

interface ScrolledProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** What may be larger than its place; the keyboard reaches and scrolls it. */
export function Scrolled({ label, children }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard.
    <section className="scrolled" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
