import type { ReactNode } from "react";
import type { Failure } from "../api/failure.js";
import type { QueryState } from "../session/use-query.js";
import { focusHeading } from "./page.js";
import { Problem } from "./problem.js";
import { Skeleton } from "./skeleton.js";

interface LoadedProps<R> {
  readonly query: QueryState<R>;
  readonly children: (data: R) => ReactNode;
}

/** Shows the result of a query, a skeleton while it loads, and the error of the last attempt. */
export function Loaded<R>({ query: { data, failure, isLoading, reload }, children }: LoadedProps<R>) {
  return (
    <>
      <LoadProblem failure={failure} onRetry={reload} />
      {data ? <div aria-busy={isLoading}>{children(data)}</div> : !failure && <Skeleton />}
    </>
  );
}

interface LoadProblemProps {
  readonly failure: Failure | null;
  readonly onRetry: () => void;
}

/** Shows why something could not be loaded. A retry button is needed only for errors that are not temporary. */
export function LoadProblem({ failure, onRetry }: LoadProblemProps) {
  function retry() {
    // The button is removed.
    focusHeading();
    onRetry();
  }
  return (
    <Problem failure={failure}>
      {failure?.isTemporary ? (
        <p className="fine">Trying again automatically…</p>
      ) : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </Problem>
  );
}
