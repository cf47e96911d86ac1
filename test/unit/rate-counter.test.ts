import { expect, test } from "vitest";
import { RateCounter } from "../../src/services/requests/rate-limits.js";

const LIMIT = { policy: "requests", limit: 5, windowSeconds: 60 } as const;

test("stores at most the maximum number of names", async () => {
  const counter = new RateCounter({ ...LIMIT, limit: 1 }, undefined, 100);
  for (let index = 0; index < 1000; index += 1) await counter.take(`address:${index}`, 1);
  expect(await counter.take("address:999", 1)).toMatchObject({ taken: false });
  expect(await counter.take("address:900", 1)).toMatchObject({ taken: false });
  expect(await counter.take("address:0", 1)).toMatchObject({ taken: true });
});
