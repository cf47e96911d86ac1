import type { Reporter, TestModule } from "vitest/node";

/** Prints below the summary how many tests were skipped, and why. */
export class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules) {
      // Ignore tests that -t filters out.
      if (module.project.config.testNamePattern) return;
      for (const test of module.children.allTests("skipped")) {
        const { note } = { note: undefined, ...test.result() };
        const reason =
          note ??
          `${module.relativeModuleId} needs a program that is not installed, or a setting that is off`;
        counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
    }
    for (const [reason, count] of counts) process.stdout.write(`${count} skipped: ${reason}\n`);
  }
}
