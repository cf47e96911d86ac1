import { useEffect, useState } from "react";
import { type Failure, toFailure } from "../api/failure.js";
import { CheckSiteDocument, type ReportPartsFragment } from "../api/generated/operations.js";
import { useSession } from "../session/session.js";

const TYPING_MS = 400;

/** The validation result of a text, debounced. */
export interface Findings {
  /** The report of an earlier text while `isChecking`. */
  readonly report: ReportPartsFragment | null;
  readonly failure: Failure | null;
  readonly isChecking: boolean;
}

interface Outcome {
  readonly text: string | null;
  readonly report: ReportPartsFragment | null;
  readonly failure: Failure | null;
}

/** Validates a text with the service while it is edited. */
export function useFindings(text: string): Findings {
  const { client } = useSession();
  const [outcome, setOutcome] = useState<Outcome>({ text: null, report: null, failure: null });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const check = async () => {
      try {
        const { validateSiteConfig } = await client.call(CheckSiteDocument, { text }, { signal });
        if (!signal.aborted) setOutcome({ text, report: validateSiteConfig, failure: null });
      } catch (error) {
        if (!signal.aborted) setOutcome({ text, report: null, failure: toFailure(error) });
      }
    };
    const timer = setTimeout(check, TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, text]);
  return { report: outcome.report, failure: outcome.failure, isChecking: outcome.text !== text };
}
