import { pauseUnlessAborted } from "./abort.js";
import type { Connection } from "./connection.js";
import type { TypedDocument } from "./document.js";
import { UnexpectedReplyError, UserGroupsError } from "./errors.js";
import { readEvents } from "./event-stream.js";
import { hasData, readFirstError } from "./graphql-wire.js";
import { readWhole } from "./http-transport.js";
import type { CallOptions } from "./options.js";
import { parseReply, unexpectedReply } from "./reply.js";
import { isTransient, retryDelayMs } from "./retry.js";

/** The stream was connected or reconnected, or delivered an event. */
export type SubscriptionEvent<Result> =
  | { readonly kind: "connected" }
  | { readonly kind: "data"; readonly data: Result };

/**
 * Runs a subscription over server-sent events and reconnects when the stream breaks.
 * @throws ApiError for permanent errors, such as a revoked key; ConnectionError if the service is unreachable for longer than
 * the options allow; the signal's reason
 */
export async function* streamSubscription<Result, Variables>(
  connection: Connection,
  document: TypedDocument<Result, Variables> | string,
  variables: NoInfer<Variables>,
  options: CallOptions,
): AsyncGenerator<SubscriptionEvent<Result>, void, undefined> {
  const { signal } = options;
  for (let failedStreams = 1; ; failedStreams += 1) {
    const stream = await connection.open(document, variables, requireEventStream, options);
    try {
      yield { kind: "connected" };
      for await (const { name, data: text } of readEvents(stream)) {
        if (name === "complete") return;
        if (name !== "next") continue;
        yield { kind: "data", data: readResult<Result>(text, stream.response) };
        failedStreams = 0;
      }
    } catch (error) {
      signal?.throwIfAborted();
      // An error of the stream itself means that the connection broke.
      if (error instanceof UserGroupsError && !isTransient(error)) throw error;
    } finally {
      stream.close();
    }
    // Back off if the service ends each stream immediately.
    await pauseUnlessAborted(retryDelayMs(failedStreams + 1, undefined, Math.random()), signal);
  }
}

async function requireEventStream(reply: Response): Promise<Response> {
  if (reply.status === 200 && reply.headers.get("content-type")?.startsWith("text/event-stream"))
    return reply;
  const whole = await readWhole(reply);
  throw readFirstError(parseReply(whole), whole) ?? unexpectedReply(whole, "is not an event stream");
}

function readResult<Result>(text: string, reply: Response): Result {
  const result: unknown = parse(text);
  const error = readFirstError(result, reply);
  if (error) throw error;
  if (hasData<Result>(result)) return result.data;
  throw unexpectedReply(reply, "contains an event that is not from the user group service");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnexpectedReplyError("An event of the subscription is not JSON.", { status: 200 }, { cause });
  }
}
