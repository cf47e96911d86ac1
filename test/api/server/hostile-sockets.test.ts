import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { holdTransaction } from "../../support/postgres/held-transaction.js";
import { exchange } from "../../support/rest/raw-connection.js";

const { keys, service } = await startGraphql();
const BODY = '{"user_group_id":"raw","name":"Raw"}';
const JSON_TYPE = "Content-Type: application/json\r\n";
const MEGABYTE = 1024 * 1024;
const NOT_HTTP =
  "The request is not valid HTTP. A body needs the header `Content-Length` or `Transfer-Encoding`.";

/** A request with an API key and `Connection: close`. */
function head(line: string, headers = "", ending = "\r\n"): string {
  const authorization = `Authorization: Token ${keys.admin}\r\n`;
  return `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}${headers}${ending}`;
}

function get(headers: string, body = ""): string {
  return head("GET /api/user", `${JSON_TYPE}${headers}`) + body;
}

/** The replies of a connection, each with status, header text and body. */
function repliesIn(answer: string) {
  return answer
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((text) => text !== "")
    .map((text) => {
      const [headers = "", body = ""] = text.split("\r\n\r\n", 2);
      return { status: Number(text.slice(9, 12)), headers, body: body === "" ? undefined : JSON.parse(body) };
    });
}

async function send(...parts: (string | Buffer)[]) {
  return repliesIn((await exchange(service.url, parts)).answer);
}

/** Sends one request and expects a well-formed error, a closed connection and no new group. */
async function expectRefusal(request: string | Buffer, status: number, message?: unknown): Promise<void> {
  const replies = await send(request);
  expect(replies).toHaveLength(1);
  const [reply] = replies;
  const [, id] = /\r\nx-request-id: (\S+)/i.exec(reply?.headers ?? "") ?? [];
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(reply).toMatchObject({
    status,
    body: {
      success: 0,
      error: {
        ...(message === undefined ? {} : { message }),
        ...(message === NOT_HTTP ? { code: "bad_request" } : {}),
        request_id: id,
      },
    },
  });
  expect(reply?.headers).toMatch(/\r\ncache-control: no-store/i);
  expect(reply?.headers).toContain("\r\nx-content-type-options: nosniff");
}

test.each([
  ["too short, which cuts the JSON", () => get("Content-Length: 5\r\n", BODY)],
  ["negative", () => get("Content-Length: -1\r\n", BODY)],
  ["two that differ", () => get("Content-Length: 5\r\nContent-Length: 6\r\n", BODY)],
  ["a list", () => get("Content-Length: 36, 36\r\n", BODY)],
  ["signed", () => get("Content-Length: +36\r\n", BODY)],
  ["hexadecimal", () => get("Content-Length: 0x24\r\n", BODY)],
  ["beyond 64 bits", () => get("Content-Length: 99999999999999999999\r\n", BODY)],
  ["beside Transfer-Encoding", () => get("Content-Length: 36\r\nTransfer-Encoding: chunked\r\n", BODY)],
])("rejects a Content-Length that is %s", async (_name, request) => {
  await expectRefusal(request(), 400);
});

test.each([
  ["another transfer coding after chunked", "Transfer-Encoding: chunked, identity\r\n"],
  ["one that looks like chunked", "Transfer-Encoding: xchunked\r\n"],
  ["a space before the colon", "Transfer-Encoding : chunked\r\n"],
  ["a vertical tab", "Transfer-Encoding: \x0bchunked\r\n"],
  ["a folded line", "Transfer-Encoding:\r\n chunked\r\n"],
  ["a line ending in a bare LF", "X: y\nTransfer-Encoding: chunked\r\n"],
  ["a line ending in a bare CR", "X: y\rTransfer-Encoding: chunked\r\n"],
  ["a NUL", "X: y\0\r\n"],
])("rejects request smuggling by %s", async (_name, headers) => {
  await expectRefusal(get(headers, `24\r\n${BODY}\r\n0\r\n\r\n`), 400, NOT_HTTP);
});

test("rejects a transfer coding other than chunked", async () => {
  const request = get("Transfer-Encoding: gzip, chunked\r\n", `24\r\n${BODY}\r\n0\r\n\r\n`);
  await expectRefusal(request, 415, "The only supported Transfer-Encoding is chunked.");
});

test.each([
  ["no number", "zz\r\n\r\n"],
  ["beyond 64 bits", "ffffffffffffffffff\r\n\r\n"],
  ["followed by a long extension", `1;${"x".repeat(100_000)}\r\na\r\n0\r\n\r\n`],
  ["shorter than its chunk", `3\r\n${BODY}\r\n0\r\n\r\n`],
])("rejects a chunk size that is %s", async (_name, body) => {
  await expectRefusal(get("Transfer-Encoding: chunked\r\n", body), 400, NOT_HTTP);
});

test.each([
  ["no Host", () => "GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ["two", () => head("GET /livez", "Host: y\r\n")],
  ["two, with another method", () => head("LINK /livez", "Host: x\r\n")],
])("Host: %s", async (_name, request) => {
  await expectRefusal(request(), 400, "The request must have one Host header.");
});

test.each(["/api/user", "/site-config/x", "/livez"])("two Authorization headers: %s", async (path) => {
  const message = "The request must have at most one Authorization header.";
  await expectRefusal(head(`GET ${path}`, "authorization: Token two\r\n"), 400, message);
});

test("two Authorization headers: /graphql", async () => {
  expect(await send(head("GET /graphql", "Authorization: Token two\r\n"))).toMatchObject([
    { status: 400, body: { errors: [{ extensions: { code: "BAD_REQUEST" } }] } },
  ]);
});

test("replies in GraphQL's own format", async () => {
  const [reply] = await send("POST /graphql HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
  expect(reply).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code: "BAD_REQUEST", requestId: expect.any(String) } }] },
  });
});

test.each([
  ["a line with a bare LF", "GET /livez HTTP/1.1\nHost: x\n\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["TLS", Buffer.from("16030100a5010000a10303", "hex")],
  ["a version that does not exist", "GET /livez HTTP/3.7\r\nHost: x\r\n\r\n"],
  ["a path in UTF-8 that is not encoded", Buffer.from("GET /site-config/\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n")],
  ["a method that does not exist", "FETCH /livez HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a tunnel", "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n"],
])("rejects %s", async (_name, request) => {
  await expectRefusal(request, 400, NOT_HTTP);
});

test.each([
  ["3,000 headers", () => get(Array.from({ length: 3000 }, (_, index) => `X-${index}: y\r\n`).join(""))],
  ["a header of a megabyte", () => get(`X: ${"y".repeat(MEGABYTE)}\r\n`)],
  ["an address of 20,000 characters", () => head(`GET /site-config/${"a".repeat(20_000)}`)],
])("%s", async (_name, request) => {
  await expectRefusal(request(), 431, "The URL and headers of the request are too large.");
});

test("answers 2,001 short headers within the limit, and accepts trailers", async () => {
  const headers = Array.from({ length: 2001 }, () => "X:\r\n").join("");
  const [reply] = await send(get(`Content-Length: 36\r\n${headers}`, BODY));
  // Node.js 24 refuses more than 2,000 headers.
  expect([200, 431]).toContain(reply?.status);
  const trailers = `24\r\n${BODY}\r\n0\r\n${"__proto__: x\r\n".repeat(500)}\r\n`;
  expect(await send(get("Transfer-Encoding: chunked\r\n", trailers))).toMatchObject([{ status: 200 }]);
});

test.each([
  ["/site-config/a%00b", 400, "site must not contain the character U+0000."],
  ["/site-config/a?account=a%00b", 400, "account must not contain the character U+0000."],
  ["/site-config/%c0%af", 404, "There is nothing at this path."],
  ["/site-config/%ed%a0%80", 404, "There is nothing at this path."],
  ["/site-config/%zz", 404, "There is nothing at this path."],
  ["/site-config/a?account=%c0%af&account=%00", 400, "account must be given once."],
  ["/site-config/a?account=%c0%af", 404, undefined],
  ["/site-config/a?__proto__=x&constructor=y&account=__proto__", 404, undefined],
  [`/site-config/${"a".repeat(10_000)}`, 404, "There is nothing at this path."],
  ["/graphql/%c0", 404, "There is nothing at this path."],
  ["*", 404, "There is nothing at this path."],
  ["//api/user", 404, "There is nothing at this path. Did you mean /api/user?"],
  ["http://x?/api/user", 404, "There is nothing at this path."],
])("GET %s", async (target, status, message) => {
  await expectRefusal(head(`GET ${target}`), status, message);
});

test("OPTIONS * and an absolute URL are valid HTTP", async () => {
  await expectRefusal(head("OPTIONS *"), 405);
  expect(await send(head("GET http://other/livez"))).toMatchObject([{ status: 200 }]);
});

test("rejects other charsets, whatever the content type, and accepts a byte order mark", async () => {
  const put = (body: Buffer) => Buffer.concat([Buffer.from(get(`Content-Length: ${body.length}\r\n`)), body]);
  for (const body of [
    Buffer.from(`\ufeff${BODY}`, "utf16le"),
    Buffer.from('{"user_group_id":"\u00e9"}', "latin1"),
    Buffer.from([0x22, 0xc0, 0x80, 0x22]),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  ]) {
    await expectRefusal(put(body), 400, "The body is not valid UTF-8 text.");
  }
  expect(await send(put(Buffer.from(`\ufeff${BODY}`)))).toMatchObject([{ status: 200 }]);
});

test.each(["gzip", "br", "deflate", "identity, gzip", "zstd"])("a body in %s", async (encoding) => {
  await expectRefusal(get(`Content-Encoding: ${encoding}\r\nContent-Length: 36\r\n`, BODY), 415);
});

test("answers Expect: 100-continue and ignores other expectations", async () => {
  const length = "Content-Length: 36\r\n";
  const statuses = async (expectation: string, body: string, size = length) =>
    (await send(get(`Expect: ${expectation}\r\n${size}`, body))).map(({ status }) => status);
  expect(await statuses("100-continue", BODY)).toEqual([100, 200]);
  expect(await statuses("200-ok", BODY)).toEqual([200]);
  expect(await statuses("100-continue", "", "Content-Length: 104857600\r\n")).toEqual([100, 413]);
});

test("answers pipelined requests in order", async () => {
  const good = get("Content-Length: 36\r\n", BODY).replace("Connection: close\r\n", "");
  expect(await send(`${good}GARBAGE\r\n\r\n`)).toMatchObject([{ status: 200 }, { status: 400 }]);
  expect(await send(`${good}${good}GARBAGE\r\n\r\n`)).toMatchObject(
    [200, 200, 400].map((status) => ({ status })),
  );
  const broken = `${good.replace("Content-Length: 36", "Transfer-Encoding: chunked").replace(BODY, "")}zz\r\n`;
  expect(await send(`${good}${broken}`)).toMatchObject([{ status: 200 }, { status: 400 }]);
});

test("ends a connection with the tenth of many pipelined requests, and executes no later ones", async () => {
  const create = (id: number) => {
    const body = `{"user_group_id":"pipelined ${id}","name":"${id}"}`;
    return get(`Content-Length: ${body.length}\r\n`, body).replace("Connection: close\r\n", "");
  };
  const replies = await send(Array.from({ length: 300 }, (_, id) => create(id)).join(""));
  expect(replies.map(({ status, body }) => [status, body?.user_group.name])).toEqual(
    Array.from({ length: 10 }, (_, id) => [200, String(id)]),
  );
  const ends = replies.map(({ headers }) => /^connection: close\r?$/im.test(headers));
  expect(ends).toEqual([...Array(9).fill(false), true]);
  const { body } = await service.server.inject({
    method: "GET",
    url: "/api/user",
    headers: { authorization: `Token ${keys.admin}` },
    payload: { user_group_id: "pipelined 10", name: "new" },
  });
  expect(JSON.parse(body)).toMatchObject({ new_user_group: true });
});

test.each([
  ["many pipelined requests", (request: string) => request.repeat(30)],
  ["a request and a tunnel", (request: string) => `${request}CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n`],
])("a client that resets its connection after %s harms nobody", async (_name, create) => {
  const request = get("Content-Length: 36\r\n", BODY).replace("Connection: close\r\n", "");
  const livez = () => service.server.inject({ method: "GET", url: "/livez" });
  const lock = await holdTransaction(service, "LOCK user_group IN ACCESS EXCLUSIVE MODE");
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  const closed = once(socket, "close");
  await once(socket, "connect");
  socket.write(create(request));
  await lock.untilAwaited();
  socket.resetAndDestroy();
  await closed;
  expect(await livez()).toMatchObject({ statusCode: 200 });
  await lock.commit();
  expect(await send(get("Content-Length: 36\r\n", BODY))).toMatchObject([{ status: 200 }]);
});

test("a request answered before its body breaks off gets no second answer", async () => {
  const request = "PUT /api/user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  expect(await send(request, "1\r\n{\r\n", "zz\r\n")).toHaveLength(1);
});

test.each(["Content-Length: 104857600\r\n", "Transfer-Encoding: chunked\r\n"])(
  "rejects 100 MB with %s early and closes the connection",
  async (length) => {
    const chunk = length.startsWith("T") ? `10000\r\n${"x".repeat(65_536)}\r\n` : "x".repeat(65_536);
    const { answer, sent } = await exchange(service.url, [get(length), ...Array(1600).fill(chunk)]);
    // A client that continues sending may lose the connection before it has read the reply.
    for (const reply of repliesIn(answer)) expect(reply.status).toBe(413);
    expect(sent).toBeLessThan(50 * MEGABYTE);
  },
);

test("idle connections have a timeout", () => {
  const { server } = service;
  expect(server.server.keepAliveTimeout).toBeLessThanOrEqual(72_000);
});

test("logs none of this as an internal error", () => {
  expect(service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
});
