import { GraphQLError } from "graphql";
import { pino } from "pino";
import { expect, test } from "vitest";
import { DomainError } from "../../src/domain/shared/errors.js";
import { shapeReply } from "../../src/graphql/server/operations/reply.js";
import { Metrics } from "../../src/telemetry/metrics.js";

const expensive = new DomainError("query_too_expensive", "Too expensive.");
const outage = new DomainError("unavailable", "Unavailable.", { retryAfter: 1 });

test.each([
  ["its error", [expensive], { status: 400, headers: {} }],
  [
    "an outage that another error precedes",
    [expensive, outage],
    { status: 503, headers: { "retry-after": "1" } },
  ],
])("a reply without data has the status of %s", (_name, causes, reply) => {
  const errors = causes.map((originalError) => new GraphQLError("", { originalError }));
  const context = { requestId: "x", metrics: new Metrics() };
  expect(shapeReply({ errors, data: null }, {}, context, pino({ level: "silent" }))).toMatchObject(reply);
});
