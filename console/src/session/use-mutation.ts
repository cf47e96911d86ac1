import { useRef, useState } from "react";
import { type Failure, toFailure } from "../api/failure.js";
import type { TypedDocumentString } from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
import { useSession } from "./session.js";

/** The result of an operation with one mutation. */
export type Result<P> = Readonly<Record<string, P>>;

export interface Payload {
  readonly userErrors: UserErrors;
}

export interface Mutation<P, V> {
  readonly isBusy: boolean;
  /** Why the last attempt got no result. */
  readonly failure: Failure | null;
  /** The user errors of the last result. */
  readonly errors: UserErrors;
  /** Replaces the errors, for example once the input has changed. */
  setErrors(errors: UserErrors): void;
  /** @returns the mutation's payload; null if it failed, and the error is in `failure` */
  run(variables: V): Promise<P | null>;
}

/** Returns a mutation. A failed attempt that is repeated unchanged is applied at most once. */
export function useMutation<P extends Payload, V>(
  document: TypedDocumentString<Result<P>, V>,
): Mutation<P, V> {
  const { client } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [errors, setErrors] = useState<UserErrors>([]);
  const pending = useRef<{ readonly request: string; readonly idempotencyKey: string } | null>(null);

  async function run(variables: V): Promise<P | null> {
    const request = JSON.stringify(variables);
    const idempotencyKey =
      pending.current?.request === request ? pending.current.idempotencyKey : newIdempotencyKey();
    pending.current = { request, idempotencyKey };
    setBusy(true);
    setFailure(null);
    try {
      const result = await client.call(document, variables, { idempotencyKey });
      pending.current = null;
      const [payload] = Object.values(result);
      if (!payload) throw new Error("The operation has no mutation.");
      setErrors(payload.userErrors);
      return payload;
    } catch (error) {
      setErrors([]);
      setFailure(toFailure(error));
      return null;
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, failure, errors, setErrors, run };
}

/** crypto.randomUUID is available over HTTPS only. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
