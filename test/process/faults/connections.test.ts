import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { CUTS, startFaultProxy } from "../../support/faults/fault-proxy.js";
import { useFaultedService } from "../../support/faults/faulted-fixture.js";

const faulted = useFaultedService(({ target }) => startFaultProxy(target));

test("survives repeatedly killed backends", async () => {
  const { service } = faulted();
  const { refused } = await service.under(() => service.killSessions());
  expect(refused).toBeGreaterThan(0);
});

test("a slow network only causes latency", async () => {
  const { service, through: proxy } = faulted();
  const { refused } = await service.under(async () => {
    proxy.delay(50);
    await sleep(1500);
    proxy.pass();
  });
  expect(refused).toBe(0);
});

test("survives connections that are reset or half-closed, old and new", async () => {
  const { service, through: proxy } = faulted();
  const { refused } = await service.under(async () => {
    for (let round = 0; round < 15; round += 1) {
      proxy.cut(CUTS[round % CUTS.length] ?? "reset");
      await sleep(100);
    }
    proxy.pass();
  });
  expect(refused).toBeGreaterThan(0);
});
