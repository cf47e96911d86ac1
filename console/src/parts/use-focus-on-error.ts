import { type RefObject, useEffect, useRef } from "react";

/** Focuses the first invalid control whenever `attempt` changes to a truthy value. */
export function useFocusOnError(attempt: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (attempt) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [attempt]);
  return form;
}
