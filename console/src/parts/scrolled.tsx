import type { ReactNode } from "react";

/** A scrollable region that can be focused and scrolled with the keyboard. */
export function Scrolled({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable with the keyboard.
    <section className="scrolled" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
