import type { Reporter, TestModule } from "vitest/node";

/** Prints below the summary how many tests were skipped, and why, and which passed only on a second try. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests("passed")) {
        const [error] = test.result().errors ?? [];
        if (!test.diagnostic()?.flaky) continue;
        process.stdout.write(`FLAKY: ${module.relativeModuleId} > ${test.fullName}\n${error?.stack ?? ""}\n`);
      }
      // Ignore tests that -t filters out.
      if (module.project.config.testNamePattern) continue;
      for (const test of module.children.allTests("skipped")) {
        const { note } = { note: undefined, ...test.result() };
        const reason =
          note ??
          `${module.relativeModuleId} needs a program that is not installed, or a setting that is off`;
        skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
      }
    }
    for (const [reason, count] of skipped) process.stdout.write(`${count} skipped: ${reason}\n`);
  }
}
