import fc from "fast-check";
import { expect, test } from "vitest";
import { RawJson, stringifyReply } from "../../../src/graphql/shared/raw-json.js";

/** A value of a reply, and the value that its text must have. */
interface Reply {
  readonly sent: unknown;
  readonly plain: unknown;
}

const leaf = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: "binary" }),
  fc.constantFrom(undefined, Number.NaN, -0, new Date(0), "\ud800", "__proto__"),
);
const { reply } = fc.letrec<{ reply: Reply }>((tie) => ({
  reply: fc.oneof(
    { maxDepth: 5 },
    leaf.map((value) => ({ sent: value, plain: value })),
    fc.jsonValue().map((value) => ({ sent: new RawJson(JSON.stringify(value)), plain: value })),
    fc.array(tie("reply")).map((items) => ({
      sent: items.map(({ sent }) => sent),
      plain: items.map(({ plain }) => plain),
    })),
    fc.dictionary(fc.string({ unit: "binary" }), tie("reply")).map((fields) => ({
      sent: Object.fromEntries(Object.entries(fields).map(([key, { sent }]) => [key, sent])),
      plain: Object.fromEntries(Object.entries(fields).map(([key, { plain }]) => [key, plain])),
    })),
  ),
}));

test("the text of a reply with raw JSON is that of the reply with its values", () => {
  fc.assert(
    fc.property(reply, ({ sent, plain }) => {
      expect(stringifyReply({ data: sent })).toBe(JSON.stringify({ data: plain }));
      // Without a serializer of its own, as over a WebSocket.
      expect(JSON.stringify({ data: sent })).toBe(JSON.stringify({ data: plain }));
    }),
  );
});

test("raw JSON stays as it was written", () => {
  const text = '{ "1.0" : 1.0, "big":12345678901234567890,"a":1,"a":2 }';
  expect(stringifyReply({ data: [new RawJson(text), null, new RawJson("[ ]")] })).toBe(
    `{"data":[${text},null,[ ]]}`,
  );
});
