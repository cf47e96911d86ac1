import type { ReactNode } from "react";

interface ScrolledProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A scrollable region that can be focused and scrolled with the keyboard. */
export function Scrolled({ label, children }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable with the keyboard.
    <section className="scrolled" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
