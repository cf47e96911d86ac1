import axe from "axe-core";
import type { Page } from "playwright-core";

/** axe's findings for WCAG 2.1, levels A and AA. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Through the debugger, which the page's policy does not restrict.
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ": " + target)))`);
}
