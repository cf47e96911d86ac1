import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { settings } from "../../../src/config/settings.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, "utf8");
const guide = read("docs/operations.md");
const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
  block.replace(/\\\n\s*/g, "").split("\n"),
);

test("the guide's commands name existing services", () => {
  const { services } = parse(read("deploy/compose/compose.yaml"), { merge: true });
  const named = commands.flatMap(
    (command) => /^docker compose .*(?:--rm|--wait) (\S+)/.exec(command)?.[1] ?? [],
  );
  expect(named.length).toBeGreaterThan(3);
  for (const name of named) expect(Object.keys(services)).toContain(name);
});

test("the guide creates the secrets that the pods read", () => {
  const deployment = read("deploy/kubernetes/base/deployment.yaml");
  const made = commands.filter((command) => command.includes("create secret generic"));
  expect(made.length).toBe(2);
  for (const command of made) {
    const [, secret = ""] = /generic (\S+)/.exec(command) ?? [];
    expect(deployment).toMatch(new RegExp(`(?:secretRef|secretKeyRef): \\{ name: ${secret}[ ,]`));
    for (const [, name] of command.matchAll(/--from-literal=([A-Z_]+)=/g))
      expect(Object.keys(settings.shape)).toContain(name);
  }
});

test("the files and sections that the guide names exist", () => {
  const paths = [...guide.matchAll(/\bdeploy\/(?:compose|kubernetes|systemd)[\w./-]*/g)].map(
    ([path]) => path,
  );
  expect(paths.length).toBeGreaterThan(2);
  for (const path of paths) expect(existsSync(`${root}${path}`), path).toBe(true);
  const sections = [...guide.matchAll(/^## (.+)$/gm)].map(([, title = ""]) =>
    title.toLowerCase().replaceAll(" ", "-"),
  );
  for (const [, anchor] of guide.matchAll(/\]\(#([\w-]+)\)/g)) expect(sections).toContain(anchor);
});

test("every setting that the guide names exists", () => {
  const known = [
    ...Object.keys(settings.shape),
    "NODE_ENV",
    "NODE_OPTIONS",
    "PUBLIC_PORT",
    "FRONT_PROXY",
    "USER_GROUPS_IMAGE",
    "CURRENT_USER",
    "BACKUP_URL",
    "RESTORED_OWNER_URL",
    "OWNER_PASSWORD",
    "SERVICE_PASSWORD",
    "BACKUP_PASSWORD",
    "NEW_PASSWORD",
  ];
  const named = [...guide.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});
