import * as vitest from "vitest";

/** What a suite that is written for Jest imports from @jest/globals, as Vitest has it. */
export const { afterAll, beforeAll, beforeEach, describe, expect, it, test, vi: jest } = vitest;

/** Takes a hook that calls back, too. */
export function afterEach(hook: (done: () => void) => unknown): void {
  vitest.afterEach(async () => {
    if (hook.length > 0) await new Promise<void>((resolve) => hook(resolve));
    else await hook(() => undefined);
  });
}
