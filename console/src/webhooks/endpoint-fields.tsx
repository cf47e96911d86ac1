import { useState } from "react";
import type { EndpointPartsFragment, WebhookEvent } from "../api/generated/operations.js";
import { errorAt, type UserErrors } from "../api/user-errors.js";
import { Field } from "../parts/field.js";
import { CHOICES, EVENTS } from "./events.js";

/** The values of the form. */
export interface EndpointDraft {
  readonly name: string;
  readonly url: string;
  readonly events: WebhookEvent[];
}

interface EndpointFieldsProps {
  readonly endpoint?: EndpointPartsFragment;
  readonly errors: UserErrors;
}

/** The fields of an endpoint: name, URL and the events that it receives. */
export function EndpointFields({ endpoint, errors }: EndpointFieldsProps) {
  const [isLimited, setLimited] = useState((endpoint?.events.length ?? 0) > 0);
  return (
    <>
      <Field label="Name" hint="Purpose of the endpoint, shown in lists." error={errorAt(errors, "name")}>
        {(control) => (
          <input {...control} name="name" required autoComplete="off" defaultValue={endpoint?.name} />
        )}
      </Field>
      <Field
        label="URL"
        hint="An https URL that answers POST requests with status 2xx within 10 seconds."
        error={errorAt(errors, "url")}
      >
        {(control) => (
          <input
            {...control}
            name="url"
            type="url"
            required
            autoComplete="off"
            placeholder="https://crm.example.com/hook"
            defaultValue={endpoint?.url}
          />
        )}
      </Field>
      <fieldset className="choices">
        <legend>Events</legend>
        <label>
          <input
            type="radio"
            name="limit"
            value="all"
            checked={!isLimited}
            onChange={() => setLimited(false)}
          />
          All events, including those that later versions add
        </label>
        <label>
          <input
            type="radio"
            name="limit"
            value="some"
            checked={isLimited}
            onChange={() => setLimited(true)}
          />
          Selected events
        </label>
        {isLimited && (
          <div className="choices nested">
            {CHOICES.map((event) => (
              <label key={event}>
                <input
                  type="checkbox"
                  name="events"
                  value={event}
                  defaultChecked={endpoint?.events.includes(event)}
                />
                {EVENTS[event]}
              </label>
            ))}
          </div>
        )}
      </fieldset>
    </>
  );
}

/** Reads the form. @returns null if "Selected events" is chosen but none is selected */
export function readDraft(fields: FormData): EndpointDraft | null {
  const chosen = new Set(fields.getAll("events"));
  const events = CHOICES.filter((event) => chosen.has(event));
  if (fields.get("limit") === "some" && events.length === 0) return null;
  return { name: String(fields.get("name")), url: String(fields.get("url")), events };
}

/** The error for a draft without events. */
export const NO_EVENTS: UserErrors = [
  { code: "INVALID_FIELD", message: "Select at least one event.", field: ["events"] },
];
