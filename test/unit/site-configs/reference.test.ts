import { expect, test } from "vitest";
import { siteConfigReference } from "../../support/site-configs/reference.js";

test("docs/site-configuration.md is current (vitest run test/unit/site-configs/reference.test.ts -u)", async () => {
  await expect(siteConfigReference()).toMatchFileSnapshot("../../../docs/site-configuration.md");
});
