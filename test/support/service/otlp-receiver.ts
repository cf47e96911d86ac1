import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A span as received by a collector. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The IDs of the linked spans. */
  readonly links: readonly string[];
  readonly failed: boolean;
}

export interface OtlpReceiver {
  readonly url: string;
  /** The received requests. */
  readonly requests: readonly {
    readonly path: string;
    readonly type: string;
    readonly key: string;
    readonly body: Buffer;
  }[];
  /** The spans of the JSON requests. */
  spans(): readonly ReceivedSpan[];
}

/**
 * A trace collector on loopback, until the test ends.
 * @param answers whether it responds at all
 */
export async function startOtlpReceiver(answers = true): Promise<OtlpReceiver> {
  const requests: { path: string; type: string; key: string; body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { url: path = "", headers } = request;
    requests.push({
      path,
      type: String(headers["content-type"]),
      key: String(headers["x-collector-key"]),
      body,
    });
    if (answers) response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    spans: () =>
      requests.filter(({ type }) => type === "application/json").flatMap(({ body }) => readSpans(body)),
  };
}

function readSpans(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString("utf8"));
  return resourceSpans
    .flatMap((resource: ReturnType<typeof JSON.parse>) => resource.scopeSpans)
    .flatMap((scope: ReturnType<typeof JSON.parse>) => scope.spans)
    .map((span: ReturnType<typeof JSON.parse>) => ({
      name: span.name,
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId || undefined,
      kind: span.kind,
      attributes: Object.fromEntries(
        span.attributes.map(({ key, value }: ReturnType<typeof JSON.parse>) => [
          key,
          value.stringValue ?? Number(value.intValue ?? value.doubleValue),
        ]),
      ),
      links: span.links.map((link: { readonly spanId: string }) => link.spanId),
      failed: span.status.code === 2,
    }));
}
