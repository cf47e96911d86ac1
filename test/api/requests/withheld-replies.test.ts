import { expect, onTestFinished, test } from "vitest";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { metricValue } from "../../support/service/metric-samples.js";
import { startTestService } from "../../support/service/test-service.js";

/** Together with the rest of the reply, exceeds the 64 KiB from which a reply is large. */
const properties = { text: "x".repeat(65_500) };
const refusal = {
  status: 503,
  headers: { "retry-after": "5" },
  body: {
    error: {
      code: "unavailable",
      message: "Too many large replies are waiting to be read. Try again later.",
    },
  },
};

test("a large reply that exceeds the memory budget is withheld for reads and sent for writes", async () => {
  const service = await startTestService({ connectionLimits: { maxUnsentBytes: 1 } });
  onTestFinished(() => service.close());
  const { secret } = await (await service.createAccount()).createKey();
  const rest = (method: string, body: object) =>
    callRest(`${service.url}/api/user`, method, secret, { user_group_id: "full", ...body });
  const created = await rest("GET", { name: "Full", properties });
  expect(created).toMatchObject({ status: 200, body: { user_group: { name: "Full", properties } } });
  expect(await rest("GET", {})).toMatchObject(refusal);
  const changed = await rest("PUT", { name: "Fuller" });
  expect(changed).toMatchObject({ status: 200, body: { user_group: { name: "Fuller", properties } } });

  const field = "userGroup { name properties }";
  const input = (name: string) => `{ by: { providedId: "full" }, name: "${name}" }`;
  const mutate = async (name: string, headers: Readonly<Record<string, string>> = {}) =>
    callRest(
      `${service.url}/graphql`,
      "POST",
      secret,
      { query: `mutation { updateUserGroup(input: ${input(name)}) { ${field} } }` },
      headers,
    );
  // The second one bypasses Apollo Server.
  for (const name of ["Fullest", "Fullest"]) {
    expect(await mutate(name)).toMatchObject({
      status: 200,
      body: { data: { updateUserGroup: { userGroup: { name, properties } } } },
    });
  }
  for (const replayed of [undefined, "true"]) {
    const reply = await mutate("Once", { "idempotency-key": "once" });
    expect(reply).toMatchObject({
      status: 200,
      body: { data: { updateUserGroup: { userGroup: { name: "Once", properties } } } },
    });
    expect(reply.headers["idempotent-replayed"]).toBe(replayed);
  }
  const read = await callGraphql(
    service.url,
    secret,
    `{ userGroup(by: { providedId: "full" }) { properties } }`,
  );
  expect(read).toMatchObject({ status: 503, body: { errors: [{ extensions: { code: "UNAVAILABLE" } }] } });
  expect(await metricValue(service.services.telemetry.metrics.shedRequests, { limit: "unsent" })).toBe(2);
});
