import type { ProcessEnvironment } from "../../config/config.js";
import { UsageError } from "../../domain/shared/operator-error.js";
import type { Output } from "../shared/output.js";
import { printable } from "../shared/printable.js";
import { EXIT_INTERRUPTED, interruptible } from "../shared/run-command.js";
import { type ContractResult, checkContract } from "./contract-check.js";
import type { ContractDifference } from "./contract-comparison.js";

export interface ContractChoices {
  readonly url: string;
  readonly against: string;
  readonly dataSource?: string;
}

/** Keys are read from the environment because command lines are visible to all users of the machine. */
const OUR_KEY = "CONTRACT_KEY";
const THEIR_KEY = "CONTRACT_AGAINST_KEY";

/**
 * Sends the same REST calls to two services and prints the differences.
 * @returns the exit code: 1 if they differ
 * @throws OperatorError as `checkContract` does, and if a key is missing
 */
export async function compareContracts(
  environment: ProcessEnvironment,
  choices: ContractChoices,
  output: Output,
): Promise<number> {
  // An interrupted check deletes the groups it created before it returns.
  const result = await interruptible((signal) =>
    checkContract({
      ours: { url: choices.url, key: requireKey(environment, OUR_KEY) },
      theirs: { url: choices.against, key: requireKey(environment, THEIR_KEY) },
      dataSource: choices.dataSource ?? null,
      signal,
    }),
  );
  await output.print(result, resultText(result));
  if (result.interrupted) return EXIT_INTERRUPTED;
  return result.left.length > 0 || result.calls.some(({ differences }) => differences.length > 0) ? 1 : 0;
}

function requireKey(environment: ProcessEnvironment, name: string): string {
  const key = environment[name];
  if (key !== undefined && key !== "") return key;
  throw new UsageError(
    `${name} is not set. Set ${OUR_KEY} to an API key of this service, and ${THEIR_KEY} to one of the other service.`,
  );
}

function resultText({ calls, left, interrupted }: ContractResult): string {
  const differing = calls.filter(({ differences }) => differences.length > 0).length;
  const lines = [
    ...calls.flatMap(({ name, differences }) => [
      `${differences.length === 0 ? "same   " : "differs"}  ${name}`,
      ...differences.map((difference) => `           ${differenceText(difference)}`),
    ]),
    ...left.map(
      ({ url, providedId }) =>
        `left     ${providedId} at ${url}: delete it, unless it is one of your own groups`,
    ),
    `${calls.length} calls, ${differing} with differences.${interrupted ? " Interrupted." : ""}`,
  ];
  return lines.map((line) => `${printable(line)}\n`).join("");
}

function differenceText({ kind, path, ours, theirs }: ContractDifference): string {
  const place = [kind, path].filter((part) => part !== "").join(" ");
  return `${place}: ours ${text(ours)}, theirs ${text(theirs)}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
