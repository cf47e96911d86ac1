import type { Failure } from "../api/failure.js";
import { CheckSiteDocument, type ReportPartsFragment } from "../api/generated/operations.js";
import { useDebounced } from "../parts/use-debounced.js";
import { useQuery } from "../session/use-query.js";

/** The validation result of a text, debounced. */
export interface Findings {
  /** The report of an earlier text while `isChecking`. */
  readonly report: ReportPartsFragment | null;
  readonly failure: Failure | null;
  readonly isChecking: boolean;
}

export function useFindings(text: string): Findings {
  const settled = useDebounced(text);
  const { data, failure, isLoading } = useQuery(CheckSiteDocument, { text: settled });
  return {
    report: data?.validateSiteConfig ?? null,
    failure,
    isChecking: settled !== text || (isLoading && !failure),
  };
}
