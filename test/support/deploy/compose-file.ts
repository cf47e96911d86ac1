import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";

const compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      command: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.string()).default({}),
      volumes: z.array(z.string()).default([]),
    }),
  ),
});

export type ComposeService = z.infer<typeof compose>["services"][string];

/**
 * Reads the services of a compose file and interpolates variables as Compose does.
 * @throws Error when a required variable is missing
 */
export function readCompose(
  path: string,
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, ComposeService>> {
  const document: unknown = parse(readFileSync(path, "utf8"), { merge: true });
  const filled: unknown = JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    typeof value === "string" ? fillIn(value, variables) : value,
  );
  return compose.parse(filled).services;
}

/** Parses lines of the form NAME=value; `#` begins a comment. */
export function readEnvFile(path: string): Readonly<Record<string, string>> {
  const lines = readFileSync(path, "utf8").matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}

function fillIn(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$(?:(\$)|\{([A-Z0-9_]+)(?::([-?])([^}]*))?\})/g,
    (_, dollar: string | undefined, name: string, kind: string | undefined, rest: string | undefined) => {
      if (dollar !== undefined) return "$";
      const value = variables[name];
      if (value !== undefined && value !== "") return value;
      if (kind === "?") throw new Error(`${name}: ${rest}`);
      return rest ?? "";
    },
  );
}
