import { useRef, useState } from "react";
import type { TypedDocumentString } from "../api/generated/operations.js";
import { newUuid } from "../api/new-uuid.js";
import type { UserErrors } from "../api/user-errors.js";
import { useSession } from "./session.js";
import { type Action, useAction } from "./use-action.js";

/** The result of an operation with one mutation. */
export type Result<P> = Readonly<Record<string, P>>;

export interface Payload {
  readonly userErrors: UserErrors;
}

export interface Mutation<P, V> extends Action<[variables: V], P> {
  /** The user errors of the last result. */
  readonly errors: UserErrors;
  /** Replaces the errors, for example once the input has changed. */
  setErrors(errors: UserErrors): void;
}

/**
 * Returns a mutation. A failed attempt that is repeated unchanged is applied at most once.
 * @param options.mayRepeat applies each attempt, and lets the service reply after the change was committed
 */
export function useMutation<P extends Payload, V>(
  document: TypedDocumentString<Result<P>, V>,
  { mayRepeat = false } = {},
): Mutation<P, V> {
  const { client } = useSession();
  const [errors, setErrors] = useState<UserErrors>([]);
  const pending = useRef<{ readonly request: string; readonly idempotencyKey: string } | null>(null);

  const action = useAction(async (variables: V) => {
    const request = JSON.stringify(variables);
    const idempotencyKey = pending.current?.request === request ? pending.current.idempotencyKey : newUuid();
    pending.current = { request, idempotencyKey };
    try {
      const result = await client.call(document, variables, mayRepeat ? {} : { idempotencyKey });
      pending.current = null;
      const [payload] = Object.values(result);
      if (!payload) throw new Error("The operation has no mutation.");
      setErrors(payload.userErrors);
      return payload;
    } catch (error) {
      setErrors([]);
      throw error;
    }
  });
  return { ...action, errors, setErrors };
}
