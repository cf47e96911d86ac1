import { type ReactNode, useEffect } from "react";
import type { QueryState } from "../session/use-query.js";
import { focusHeading } from "./page.js";
import { Problem } from "./problem.js";

interface LoadedProps<R> {
  readonly query: QueryState<R>;
  readonly children: (data: R) => ReactNode;
}

/** Shows what a query brought; until then that it is under way, or why it failed with a way to try again. */
export function Loaded<R>({ query: { data, failure, isLoading, reload }, children }: LoadedProps<R>) {
  useEffect(() => {
    // The button that had it is gone with what was loaded before.
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
    return (
      <p className="loading" role="status">
        Loading…
      </p>
    );
  }
  return <div aria-busy={isLoading}>{children(data)}</div>;
}
