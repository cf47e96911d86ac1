import { subjectType } from "../../domain/audit/entry.js";
import { EVENT_FIELDS, type EventValue, type WebhookEvent } from "../../domain/webhooks/webhook.js";

// SQL expressions, so that the statement that makes a change also writes the payloads of its webhook deliveries.

/** Returns an expression of the global ID of an object, as in GraphQL. @param id expression of its internal ID */
export function nodeId(type: string, id: string): string {
  return `translate(encode(convert_to('${type}:' || ${id}, 'UTF8'), 'base64'), E'+/=\\n', '-_')`;
}

/** Returns an expression of the JSON payload of a webhook delivery. @param event expressions of its fields */
export function eventPayload(event: {
  readonly id: string;
  readonly type: string;
  /** A timestamp with time zone. */
  readonly createdAt: string;
  readonly environment: string;
  /** A JSON object. */
  readonly data: string;
}): string {
  return `json_build_object('id', ${event.id}, 'type', ${event.type},
        'createdAt', to_char(${event.createdAt} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'environment', ${event.environment}, 'data', ${event.data})`;
}

/** Returns an expression of the data of an event. It uses the columns of an audit entry. */
export function eventData(event: WebhookEvent): string {
  const type = subjectType(event);
  const values: Readonly<Record<EventValue, string>> = {
    globalId: nodeId(type, "subject_id"),
    subjectId: "subject_id",
    subjectName: "subject_name",
    version: "version",
    changed: "changed",
  };
  const fields = Object.entries(EVENT_FIELDS[event]).map(([name, value]) => `'${name}', ${values[value]}`);
  const object = type.charAt(0).toLowerCase() + type.slice(1);
  return `json_build_object('${object}', json_build_object(${fields.join(", ")}))`;
}
