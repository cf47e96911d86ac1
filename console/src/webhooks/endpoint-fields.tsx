import { useId, useState } from "react";
import type { EndpointPartsFragment, WebhookEvent } from "../api/generated/operations.js";
import { errorAt, type UserErrors } from "../api/user-errors.js";
import { TextField } from "../parts/field.js";
import { CHOICES, EVENTS } from "./events.js";

export interface EndpointDraft {
  readonly name: string;
  readonly url: string;
  readonly events: WebhookEvent[];
}

interface EndpointFieldsProps {
  readonly endpoint?: EndpointPartsFragment;
  readonly errors: UserErrors;
}

export const ENDPOINT_FIELDS = ["name", "url", "events"] as const;

/** The fields of an endpoint: name, URL and the events that it receives. */
export function EndpointFields({ endpoint, errors }: EndpointFieldsProps) {
  const eventsError = errorAt(errors, "events");
  const errorId = useId();
  const [isLimited, setLimited] = useState((endpoint?.events.length ?? 0) > 0);
  return (
    <>
      <TextField
        label="Name"
        hint="Purpose of the endpoint, shown in lists."
        error={errorAt(errors, "name")}
        name="name"
        defaultValue={endpoint?.name}
      />
      <TextField
        label="URL"
        hint="An https URL that answers POST requests with status 2xx within 10 seconds."
        error={errorAt(errors, "url")}
        name="url"
        type="url"
        placeholder="https://crm.example.com/hook"
        defaultValue={endpoint?.url}
      />
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
          All events, including types added later
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
            {CHOICES.map((event, index) => (
              <label key={event}>
                <input
                  type="checkbox"
                  name="events"
                  value={event}
                  defaultChecked={endpoint?.events.includes(event)}
                  aria-invalid={eventsError !== undefined && index === 0}
                  aria-describedby={eventsError && errorId}
                />
                {EVENTS[event]}
              </label>
            ))}
          </div>
        )}
        {eventsError && (
          <p className="error" id={errorId}>
            {eventsError}
          </p>
        )}
      </fieldset>
    </>
  );
}

/** Reads the form. @returns the draft, and the errors that are known without the service */
export function readDraft(fields: FormData): { readonly draft: EndpointDraft; readonly errors: UserErrors } {
  const chosen = new Set(fields.getAll("events"));
  const draft = {
    name: String(fields.get("name")),
    url: String(fields.get("url")),
    events: CHOICES.filter((event) => chosen.has(event)),
  };
  // For the service, no events are all events.
  if (fields.get("limit") !== "some" || draft.events.length > 0) return { draft, errors: [] };
  const empty = (["name", "url"] as const).filter((field) => draft[field] === "");
  const errors = [
    ...empty.map((field) => invalidField(field, "Must not be empty.")),
    invalidField("events", "Select at least one event."),
  ];
  return { draft, errors };
}

function invalidField(field: string, message: string): UserErrors[number] {
  return { code: "INVALID_FIELD", message, field: [field] };
}
