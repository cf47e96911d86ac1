import { type RefObject, useEffect, useRef } from "react";

/** Brings the focus to the first control that is wrong, once `attempt` tells that something was refused. */
export function useFocusOnError(attempt: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (attempt) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [attempt]);
  return form;
}
