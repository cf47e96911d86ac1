import { type ReactNode, useEffect } from "react";
import type { QueryState } from "../session/use-query.js";
import { focusHeading } from "./page.js";
import { Problem } from "./problem.js";
import { Skeleton } from "./skeleton.js";

interface LoadedProps<R> {
  readonly query: QueryState<R>;
  readonly children: (data: R) => ReactNode;
}

/** Shows the result of a query, a skeleton while it loads, or the error with a retry button. */
export function Loaded<R>({ query: { data, failure, isLoading, reload }, children }: LoadedProps<R>) {
  useEffect(() => {
    // The focused retry button was removed when the data arrived.
    if (data && document.activeElement === document.body) focusHeading();
  }, [data]);
  if (failure) {
    return (
      <Problem failure={failure}>
        <button type="button" onClick={reload} disabled={isLoading}>
          Try again
        </button>
      </Problem>
    );
  }
  if (!data) {
    return <Skeleton />;
  }
  return <div aria-busy={isLoading}>{children(data)}</div>;
}
