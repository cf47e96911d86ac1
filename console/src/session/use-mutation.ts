import { useRef, useState } from "react";
import { type Failure, toFailure } from "../api/failure.js";
import type { TypedDocumentString } from "../api/generated/operations.js";
import { useSession } from "./session.js";

export interface Mutation<R, V> {
  readonly isBusy: boolean;
  /** Why the last attempt came to nothing. */
  readonly failure: Failure | null;
  /** @returns null when it failed, which `failure` then tells */
  run(variables: V): Promise<R | null>;
}

/** Prepares a mutation. One that failed without an answer, and is tried again unchanged, counts once. */
export function useMutation<R, V>(document: TypedDocumentString<R, V>): Mutation<R, V> {
  const { client } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const unanswered = useRef<{ readonly asked: string; readonly idempotencyKey: string } | null>(null);

  async function run(variables: V): Promise<R | null> {
    const asked = JSON.stringify(variables);
    const idempotencyKey =
      unanswered.current?.asked === asked ? unanswered.current.idempotencyKey : newIdempotencyKey();
    unanswered.current = { asked, idempotencyKey };
    setBusy(true);
    setFailure(null);
    try {
      const result = await client.call(document, variables, { idempotencyKey });
      unanswered.current = null;
      return result;
    } catch (error) {
      setFailure(toFailure(error));
      return null;
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, failure, run };
}

/** Not crypto.randomUUID, which pages have over HTTPS only. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
