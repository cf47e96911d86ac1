import type { ReactNode } from "react";

interface EmptyProps {
  readonly title: string;
  /** Purpose of the objects, in a sentence. */
  readonly children?: ReactNode;
  /** Buttons or links that create the first object or reset the search. */
  readonly action?: ReactNode;
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="empty-state" role="status">
      <p className="empty-title">{title}</p>
      {children && <p className="fine">{children}</p>}
      {action && <div className="actions">{action}</div>}
    </div>
  );
}
