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
