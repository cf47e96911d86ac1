import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { followEvents } from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { openSlowReader } from "../../support/graphql/slow-reader.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { metricValue } from "../../support/service/metric-samples.js";

const graphql = useGraphql();

test("a reader of all groups that is too slow is disconnected, once too many groups have changed", async () => {
  const { service, keys, mutate } = graphql();
  const upsert = async (at: number, values: object) => {
    const userGroups = Array.from({ length: 550 }, (_, index) => ({
      providedId: `group ${at + index}`,
      ...values,
    }));
    expect(await mutate("upsertUserGroups", { userGroups })).toMatchObject({ userErrors: [] });
  };
  const starts = [0, 550, 1100, 1650];
  for (const at of starts) await upsert(at, { name: "old", properties: { text: "x".repeat(5_000) } });
  const aliases = Array.from({ length: 50 }, (_, index) => `p${index}: properties`).join(" ");
  const reader = await openSlowReader(
    service.url,
    `Token ${keys.admin}`,
    `subscription { userGroupChanged { userGroup { name ${aliases} } } }`,
  );
  onTestFinished(() => reader.close());
  const watch = "subscription { userGroupChanged { userGroup { providedId name } } }";
  const other = await followEvents(service.url, `Token ${keys.admin}`, watch);
  await expect.poll(() => service.services.eventStreams.open).toBe(2);
  // The other reader gets them all.
  for (const at of starts) {
    await upsert(at, { name: "new" });
    for (const seen = new Set(); seen.size < 550; ) {
      const { providedId, name } = Object(await other.next()).data.userGroupChanged.userGroup;
      if (name === "new") seen.add(providedId);
    }
  }
  expect(await reader.readToEnd()).not.toContain("event: complete");
  const { streamCutOffs } = service.services.telemetry.metrics;
  expect(await metricValue(streamCutOffs, { reason: "slow_consumer" })).toBe(1);
});

test("a client that does not read is disconnected, and nothing is buffered for it", async () => {
  const { service, keys, mutate } = graphql();
  const properties = { filler: "x".repeat(60_000) };
  await createUserGroup(graphql(), "slow", { properties });
  const query = `subscription { userGroupChanged(by: { providedId: "slow" }) { userGroup { name properties } } }`;
  const reader = await openSlowReader(service.url, `Token ${keys.admin}`, query);
  await sleep(500);
  const connections = async () =>
    new Promise<number>((resolve, reject) => {
      service.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  const before = await connections();
  for (let round = 0; round < 400 && (await connections()) >= before; round += 1) {
    await mutate("updateUserGroup", { by: { providedId: "slow" }, name: `n${round}` });
  }
  await expect.poll(connections).toBeLessThan(before);
  reader.close();
});
