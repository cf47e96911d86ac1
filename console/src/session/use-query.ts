import { keepPreviousData, type UseQueryResult, useQuery as useCachedQuery } from "@tanstack/react-query";
import { type Failure, toFailure } from "../api/failure.js";
import type { TypedDocumentString } from "../api/generated/operations.js";
import { useSession } from "./session.js";

/** The state of a query. `data` keeps the last result until a query with other variables succeeds. */
export interface QueryState<R> {
  readonly data: R | null;
  /** The error of the last attempt, also while further attempts are made. */
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  /** When `data` was loaded; Unix time in milliseconds. */
  readonly loadedAt: number;
  readonly reload: () => void;
}

/**
 * Runs a query when the component mounts, when its variables change, and when the user returns to the tab, unless something is not saved. A
 * cached result is shown until the reply arrives.
 * @param isEnabled if false, the query does not run
 */
export function useQuery<R, V>(
  document: TypedDocumentString<R, V>,
  variables: NoInfer<V>,
  isEnabled = true,
): QueryState<R> {
  const { client, isOpen } = useSession();
  const result = useCachedQuery({
    queryKey: [document.toString(), variables],
    queryFn: ({ signal }) => client.call(document, variables, { signal }),
    placeholderData: keepPreviousData,
    enabled: isEnabled && isOpen,
  });
  return stateOf(result);
}

export function stateOf<R>(result: UseQueryResult<R>): QueryState<R> {
  const { data, dataUpdatedAt, failureReason, isFetching, refetch } = result;
  return {
    data: data ?? null,
    failure: failureReason ? toFailure(failureReason) : null,
    isLoading: isFetching,
    loadedAt: dataUpdatedAt,
    reload: () => void refetch(),
  };
}
