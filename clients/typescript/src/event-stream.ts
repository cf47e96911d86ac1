import { TimeoutError } from "./errors.js";
import type { HttpStream } from "./http-transport.js";

export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

/** The service writes at least a comment every 12 seconds. */
const IDLE_TIMEOUT_MS = 40_000;

/** Yields the events of a reply until it ends. @throws connection errors; TimeoutError if the stream is silent */
export async function* readEvents({
  response,
  close,
}: HttpStream): AsyncGenerator<ServerSentEvent, void, undefined> {
  const cut = () => close(new TimeoutError(`The subscription received no data for ${IDLE_TIMEOUT_MS} ms.`));
  let timer = setTimeout(cut, IDLE_TIMEOUT_MS);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let text = ""; ; ) {
      const { done = true, value = "" } = (await reader?.read()) ?? {};
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(cut, IDLE_TIMEOUT_MS);
      const blocks = (text + value).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield parseEvent(block);
    }
  } finally {
    clearTimeout(timer);
  }
}

function parseEvent(block: string): ServerSentEvent {
  const fields = block.split("\n").map((line) => /^(?<name>[^:]*):? ?(?<value>.*)$/.exec(line)?.groups ?? {});
  const valuesOf = (name: string) =>
    fields.filter((field) => field["name"] === name).map((field) => field["value"]);
  return { name: valuesOf("event").at(-1) ?? "message", data: valuesOf("data").join("\n") };
}
