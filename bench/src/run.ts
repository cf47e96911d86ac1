import { benchCitus } from "./compare/citus.js";
import { benchCompare } from "./compare/compare.js";
import { benchImport } from "./import.js";
import { benchRowLevelSecurity } from "./row-level-security.js";
import { benchScale } from "./scale/scale.js";
import { benchSessions } from "./sessions.js";
import { benchStreams } from "./streams/streams.js";

/** Each takes the remaining arguments. @returns the report */
const BENCHMARKS: Readonly<Record<string, (args: readonly string[]) => Promise<string>>> = {
  citus: benchCitus,
  compare: benchCompare,
  import: benchImport,
  "row-level-security": benchRowLevelSecurity,
  scale: benchScale,
  sessions: benchSessions,
  streams: benchStreams,
};

const [name = "", ...args] = process.argv.slice(2);
const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
if (benchmark) {
  process.stdout.write(`${await benchmark(args)}\n`);
} else {
  process.stderr.write(`Usage: npm run bench -- NAME. Benchmarks: ${Object.keys(BENCHMARKS).join(", ")}\n`);
  process.exitCode = 1;
}
