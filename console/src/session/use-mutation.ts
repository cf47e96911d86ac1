import { useRef, useState } from "react";
import { type Failure, toFailure } from "../api/failure.js";
import type { TypedDocumentString } from "../api/generated/operations.js";
import { useSession } from "./session.js";

export interface Mutation<R, V> {
  readonly isBusy: boolean;
  /** The error of the last attempt. */
  readonly failure: Failure | null;
  /** @returns null if it failed; the error is in `failure` */
  run(variables: V): Promise<R | null>;
}

/** Returns a mutation. A failed attempt that is repeated unchanged is applied at most once. */
export function useMutation<R, V>(document: TypedDocumentString<R, V>): Mutation<R, V> {
  const { client } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const pending = useRef<{ readonly request: string; readonly idempotencyKey: string } | null>(null);

  async function run(variables: V): Promise<R | null> {
    const request = JSON.stringify(variables);
    const idempotencyKey =
      pending.current?.request === request ? pending.current.idempotencyKey : newIdempotencyKey();
    pending.current = { request, idempotencyKey };
    setBusy(true);
    setFailure(null);
    try {
      const result = await client.call(document, variables, { idempotencyKey });
      pending.current = null;
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

/** crypto.randomUUID is available over HTTPS only. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
