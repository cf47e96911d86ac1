import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Words that the project does not use, with the usual term instead (CONTRIBUTING.md, "Words"). */
const WORDS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:un)?seal(?:s|ed|ing)?\b/i, "encrypt, decrypt"],
  [/(?<!load[ -]|load-?)\bbalancers?\b/i, "load balancer"],
  [/\blook-ups?\b/i, "lookup"],
  [/\btime-outs?\b/i, "timeout"],
  [/\bfaulty\b/i, "invalid"],
  [/\b(?:mend|mends|mended|mending)\b/i, "fix"],
  [/\b(?:tell|tells|told)\b/i, "report, record, register"],
  [/\bwhoever\b/i, "the caller, the owner"],
  [/\bout of reach\b/i, "unreachable"],
  [/\bbrings? (?:along|its own)\b/i, "includes"],
  [/\bcomes? again\b/i, "is retried"],
  [/\b(?:goes|go|went) on\b/i, "continue"],
  [/\bcounts once\b/i, "is applied at most once"],
  [/\bprovided ids?\b/i, "external ID"],
  [/\btrusted documents?\b/i, "persisted queries"],
  [/\b(?:brought|given) tokens?\b/i, "imported token"],
  [/\bthe (?:runtime|operator)'s role\b/i, "application role, owner role"],
  [
    /\b(?:Tally|HitCount|(?<!OpenTelemetry )Collector|Shortcut|LaggingReads|giveUp|byDefault)\b/,
    "Metrics, CacheStats, BatchLoader, fast path, defaultValue",
  ],
  [
    /\b(?:most|least|brought|tell|faulty|sealed|own)[A-Z]\w*/,
    "max…, min…, imported…, report…, invalid…, encrypted…",
  ],
  [/(?:\/\*\*|\/\/|^\s*\*) (?:What|Whoever|By which|Of an?|Who) /, "a noun phrase, or the subject first"],
];

const root = fileURLToPath(new URL("../../..", import.meta.url));
const READ = ["src", "docs", "clients", "console", "README.md", "CONTRIBUTING.md", "schema.graphql"];
const files = execFileSync("git", ["ls-files", "--", ...READ], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((path) => /\.(?:tsx?|js|md|graphql|html|css)$/.test(path));

const linesOf = (path: string) => readFileSync(`${root}/${path}`, "utf8").split("\n");

test("names, comments, messages and documentation use the usual terms", () => {
  expect(files.length).toBeGreaterThan(400);
  const found = files.flatMap((path) =>
    linesOf(path).flatMap((line, index) =>
      WORDS.filter(([pattern]) => pattern.test(line)).map(
        ([pattern, instead]) => `${path}:${index + 1} ${pattern.exec(line)?.[0]}: use ${instead}`,
      ),
    ),
  );
  expect(found).toEqual([]);
});
