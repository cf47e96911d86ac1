import type { ReactNode } from "react";
import type { Failure } from "../api/failure.js";
import type { UserErrors } from "../api/user-errors.js";

interface ProblemProps {
  readonly failure?: Failure | null;
  readonly errors?: UserErrors;
  readonly children?: ReactNode;
}

/** Shows the service's error messages; renders nothing if there are none. */
export function Problem({ failure, errors = [], children }: ProblemProps) {
  if (!failure && errors.length === 0) return null;
  return (
    <div className="problem" role="alert">
      {failure && (
        <p>
          {failure.message}
          {failure.retryAfter !== undefined &&
            failure.retryAfter > 1 &&
            ` Try again in ${failure.retryAfter} s.`}
        </p>
      )}
      {errors.map(({ message, field }) => (
        <p key={`${field?.join(".")} ${message}`}>{message}</p>
      ))}
      {failure?.requestId && (
        <p className="fine">
          Request <code>{failure.requestId}</code>
        </p>
      )}
      {children && <div className="actions">{children}</div>}
    </div>
  );
}
