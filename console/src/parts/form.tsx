import { type FormHTMLAttributes, type ReactNode, useEffect, useRef } from "react";
import type { UserErrors } from "../api/user-errors.js";

interface FormProps extends Pick<FormHTMLAttributes<HTMLFormElement>, "className" | "aria-label"> {
  /** The service's errors of the last attempt. */
  readonly errors?: UserErrors;
  /** Whether a field has an error that is known without the service: the form is not submitted then. */
  readonly isInvalid?: boolean;
  readonly onSubmit: (fields: FormData) => void;
  readonly children: ReactNode;
}

/**
 * A form that shows errors at its fields. An attempt to submit invalid input focuses the first invalid field; the
 * submit button stays enabled, so that the attempt says what is wrong.
 */
export function Form({ errors = [], isInvalid = false, onSubmit, children, ...attributes }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (errors.length > 0) focusInvalid(form.current);
  }, [errors]);
  return (
    <form
      {...attributes}
      ref={form}
      // The browser's own messages vanish after seconds, and know only some of the rules.
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isInvalid) focusInvalid(event.currentTarget);
        else onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
    </form>
  );
}

/** Submits a form as its button does. @returns false if it has none, as for readers */
export function submit(form: HTMLFormElement | null): boolean {
  const button = form?.querySelector<HTMLElement>("[type=submit]");
  button?.click();
  return Boolean(button);
}

function focusInvalid(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>("[aria-invalid=true], [data-invalid]")?.focus();
}
