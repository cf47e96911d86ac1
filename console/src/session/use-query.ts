import { useCallback, useEffect, useState } from "react";
import { type Failure, toFailure } from "../api/failure.js";
import type { TypedDocumentString } from "../api/generated/operations.js";
import { useSession } from "./session.js";

/** The state of a query. `data` keeps the last result until a query with other variables succeeds. */
export interface QueryState<R> {
  readonly data: R | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  /** Runs the query again. */
  readonly reload: () => void;
}

interface Outcome<R> {
  readonly request: string;
  readonly data: R | null;
  readonly failure: Failure | null;
}

/** Runs a query when the component mounts and when its variables change. */
export function useQuery<R, V>(document: TypedDocumentString<R, V>, variables: NoInfer<V>): QueryState<R> {
  const { client } = useSession();
  const [round, setRound] = useState(0);
  const [outcome, setOutcome] = useState<Outcome<R>>({ request: "", data: null, failure: null });
  const serializedVariables = JSON.stringify(variables);
  const request = `${round} ${serializedVariables}`;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    client.call(document, JSON.parse(serializedVariables), { signal }).then(
      (data) => {
        if (!signal.aborted) setOutcome({ request, data, failure: null });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        setOutcome(({ data }) => ({ request, data, failure: toFailure(error) }));
      },
    );
    return () => controller.abort();
  }, [client, document, serializedVariables, request]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { data: outcome.data, failure: outcome.failure, isLoading: outcome.request !== request, reload };
}
