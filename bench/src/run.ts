import { benchCompare } from "./compare/compare.js";
import { benchImport } from "./import.js";
import { benchRowLevelSecurity } from "./row-level-security.js";
import { benchScale } from "./scale/scale.js";
import { benchSiteConfig } from "./site-config.js";
import { benchSoak } from "./soak.js";

/** Each takes its part of the command line. @returns what to print */
const BENCHMARKS: Readonly<Record<string, (args: readonly string[]) => Promise<string>>> = {
  compare: benchCompare,
  import: benchImport,
  "row-level-security": benchRowLevelSecurity,
  scale: benchScale,
  "site-config": benchSiteConfig,
  soak: benchSoak,
};

const [name = "", ...args] = process.argv.slice(2);
const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
if (benchmark) {
  process.stdout.write(`${await benchmark(args)}\n`);
} else {
  process.stderr.write(
    `Usage: npm run bench -- <name>, where <name> is one of ${Object.keys(BENCHMARKS).join(", ")}\n`,
  );
  process.exitCode = 1;
}
