import type { IncomingMessage } from "node:http";
import { TimeoutError } from "./errors.js";

export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

/** The service writes at least a comment every 12 seconds. */
const IDLE_TIMEOUT_MS = 40_000;

/** Yields the events of a reply until it ends. @throws connection errors; TimeoutError if the stream is silent */
export async function* readEvents(reply: IncomingMessage): AsyncGenerator<ServerSentEvent, void, undefined> {
  reply.setTimeout(IDLE_TIMEOUT_MS, () =>
    reply.destroy(new TimeoutError(`The subscription received no data for ${IDLE_TIMEOUT_MS} ms.`)),
  );
  reply.setEncoding("utf8");
  let text = "";
  for await (const chunk of reply) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      yield parseEvent(text.slice(0, end));
      text = text.slice(end + 2);
    }
  }
}

function parseEvent(block: string): ServerSentEvent {
  const fields = block.split("\n").map((line) => /^(?<name>[^:]*):? ?(?<value>.*)$/.exec(line)?.groups ?? {});
  const valuesOf = (name: string) =>
    fields.filter((field) => field["name"] === name).map((field) => field["value"]);
  return { name: valuesOf("event").at(-1) ?? "message", data: valuesOf("data").join("\n") };
}
