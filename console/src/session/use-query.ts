import { useCallback, useEffect, useState } from "react";
import { type Failure, toFailure } from "../api/failure.js";
import type { TypedDocumentString } from "../api/generated/operations.js";
import { useSession } from "./session.js";

/** How far a query has come; until one with other variables succeeds, `data` is still that of the last one. */
export interface QueryState<R> {
  readonly data: R | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  /** Asks again; nothing is kept beside what is shown. */
  readonly reload: () => void;
}

interface Outcome<R> {
  readonly request: string;
  readonly data: R | null;
  readonly failure: Failure | null;
}

/** Runs a query, and again whenever its variables change. */
export function useQuery<R, V>(document: TypedDocumentString<R, V>, variables: NoInfer<V>): QueryState<R> {
  const { client } = useSession();
  const [round, setRound] = useState(0);
  const [outcome, setOutcome] = useState<Outcome<R>>({ request: "", data: null, failure: null });
  const asked = JSON.stringify(variables);
  const request = `${round} ${asked}`;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    client.call(document, JSON.parse(asked), { signal }).then(
      (data) => {
        if (!signal.aborted) setOutcome({ request, data, failure: null });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        setOutcome(({ data }) => ({ request, data, failure: toFailure(error) }));
      },
    );
    return () => controller.abort();
  }, [client, document, asked, request]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { data: outcome.data, failure: outcome.failure, isLoading: outcome.request !== request, reload };
}
