import { benchRowLevelSecurity } from "./row-level-security.js";
import { benchSiteConfig } from "./site-config.js";

/** @returns what to print */
const BENCHMARKS: Readonly<Record<string, () => Promise<string>>> = {
  "row-level-security": benchRowLevelSecurity,
  "site-config": benchSiteConfig,
};

const [name = ""] = process.argv.slice(2);
const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
if (benchmark) {
  process.stdout.write(`${await benchmark()}\n`);
} else {
  process.stderr.write(`npm run bench -- NAME, which is one of: ${Object.keys(BENCHMARKS).join(", ")}\n`);
  process.exitCode = 1;
}
