import type { ReactNode } from "react";

interface FactProps {
  readonly label: string;
  /** Whether it takes a line of its own on narrow screens. */
  readonly isWhole?: boolean;
  readonly children: ReactNode;
}

export function Fact({ label, isWhole = false, children }: FactProps) {
  return (
    <div className={isWhole ? "whole" : undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
