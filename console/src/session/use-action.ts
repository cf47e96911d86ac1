import { useState } from "react";
import { type Failure, toFailure } from "../api/failure.js";

export interface Action<Arguments extends readonly unknown[], Result> {
  readonly isBusy: boolean;
  /** Why the last attempt got no result. */
  readonly failure: Failure | null;
  /** @returns null if it failed, and the error is in `failure` */
  run(...input: Arguments): Promise<Result | null>;
}

/** Keeps the state of an action that calls the service on request. */
export function useAction<Arguments extends readonly unknown[], Result>(
  act: (...input: Arguments) => Promise<Result>,
): Action<Arguments, Result> {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);

  async function run(...input: Arguments): Promise<Result | null> {
    setBusy(true);
    setFailure(null);
    try {
      return await act(...input);
    } catch (error) {
      setFailure(toFailure(error));
      return null;
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, failure, run };
}
