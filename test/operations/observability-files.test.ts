import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isObject } from "../../src/domain/shared/json.js";
import { scrapeText } from "../support/service/metric-samples.js";
import { startRunningApp } from "../support/service/running-app.js";

const root = new URL("../../", import.meta.url);
const prometheus = new URL("deploy/prometheus/", root);
const readHere = (path: string) => readFile(new URL(path, root), "utf8");

let exposed = "";
let alerts = "";
let reference = "";
let dashboard: ReturnType<typeof JSON.parse>;
let directory = "";
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  alerts = await readHere("deploy/prometheus/alerts.yml");
  reference = await readHere("docs/metrics.md");
  dashboard = JSON.parse(await readHere("deploy/grafana/dashboard.json"));
  directory = await mkdtemp(join(tmpdir(), "ug-prometheus-"));
  await cp(prometheus, directory, { recursive: true });
  const { url } = await startRunningApp({}, (end) => void ends.push(end));
  exposed = await scrapeText(url);
});
afterAll(async () => {
  for (const end of ends) await end();
  await rm(directory, { recursive: true, force: true });
});

/** The expressions of the dashboard's panels, with values for its variables. */
function expressions(): string[] {
  const panels: unknown[] = dashboard.panels;
  return panels
    .filter(isObject)
    .flatMap(({ targets }) => (Array.isArray(targets) ? targets : []))
    .map(({ expr }) =>
      String(expr)
        .replaceAll("$__rate_interval", "1m")
        .replaceAll("$job", "user-groups")
        .replaceAll("$instance", ".*"),
    );
}

/** The names of metrics in expressions: names followed by labels. */
function metricNames(text: string): string[] {
  return [...new Set([...text.matchAll(/([a-z_]\w+)\{/g)].map(([, name = ""]) => name))];
}

/** The exposed names, including the series of histograms and summaries. */
function exposedNames(): Set<string> {
  const types = [...exposed.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = "", type]) =>
      type === "histogram" || type === "summary"
        ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]
        : [name],
    ),
  );
}

/** Whether Prometheus' promtool is installed. */
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

/** Runs promtool. @returns its output and whether it succeeded */
function promtool(
  args: readonly string[],
  input = "",
  cwd?: string,
): { readonly isRight: boolean; readonly said: string } {
  const { status, stdout, stderr } = spawnSync("promtool", [...args], { input, encoding: "utf8", cwd });
  return { isRight: status === 0, said: `${stdout}${stderr}` };
}

describe("metrics", () => {
  test("used by the dashboard and the alerts exist in a running service", () => {
    const known = exposedNames();
    const named = metricNames([...expressions(), alerts].join("\n")).filter(
      (name) => name !== "up" && name !== "probe_success",
    );
    expect(named.length).toBeGreaterThan(25);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  test("of the service are all displayed and documented", () => {
    const ownMetrics = [...exposed.matchAll(/^# TYPE ((?:user_groups|http)_\S+)/gm)].map(
      ([, name = ""]) => name,
    );
    expect(ownMetrics.length).toBeGreaterThan(20);
    const shown = expressions().join("\n");
    expect(ownMetrics.filter((name) => !shown.includes(name))).toEqual([]);
    expect(ownMetrics.filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
  });

  test.skipIf(!hasPromtool)("follow Prometheus naming conventions", () => {
    const { isRight, said } = promtool(["check", "metrics"], exposed);
    // The library's own metrics have other names.
    const problems = said.split("\n").filter((line) => /^(?:user_groups|http)_/.test(line));
    expect(problems).toEqual([]);
    expect(isRight || /^nodejs_/m.test(said)).toBe(true);
  });
});

describe("alerts", () => {
  const names = () => [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);

  test("each have a section on their page, which their annotation links to", async () => {
    expect(names().length).toBeGreaterThan(10);
    const page = await readHere("docs/alerts.md");
    const headings = [...page.matchAll(/^## (UserGroups\w+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(names());
    const runbooks = [...alerts.matchAll(/runbook: (\S+)/g)].map(([, place]) => place);
    expect(runbooks).toEqual(names().map((name) => `docs/alerts.md#${name.toLowerCase()}`));
  });

  test.skipIf(!hasPromtool)("are valid, as is the example configuration", async () => {
    await writeFile(join(directory, "metrics-token"), "token");
    expect(promtool(["check", "config", "prometheus.yml"], "", directory)).toMatchObject({ isRight: true });
  });

  test.skipIf(!hasPromtool)("fire exactly when they should", async () => {
    expect(promtool(["test", "rules", "alerts.test.yml"], "", directory)).toMatchObject({ isRight: true });
    const cases = await readFile(join(directory, "alerts.test.yml"), "utf8");
    expect(
      names().filter(
        (name) => !cases.includes(`- name: ${name}\n`) || !cases.includes(`alertname: ${name}\n`),
      ),
    ).toEqual([]);
    // The rule tests themselves can fail.
    await writeFile(join(directory, "alerts.yml"), alerts.replace("> 0.25", "> 2.5"));
    expect(promtool(["test", "rules", "alerts.test.yml"], "", directory)).toMatchObject({ isRight: false });
  });
});

describe("the dashboard", () => {
  test("uses variables for its data source, job and replica", () => {
    const variables: { name: string }[] = dashboard.templating.list;
    expect(variables.map(({ name }) => name)).toEqual(["datasource", "job", "instance"]);
    const sources = [...JSON.stringify(dashboard).matchAll(/"uid":"([^"]*)"/g)].map(([, uid]) => uid);
    expect(sources.length).toBeGreaterThan(20);
    expect(sources.filter((uid) => !/^(?:user-groups|\$\{datasource\})$/.test(uid ?? ""))).toEqual([]);
  });

  test("has panels that do not overlap", () => {
    const places: { x: number; y: number; w: number; h: number }[] = dashboard.panels.map(
      (panel: { gridPos: object }) => panel.gridPos,
    );
    const overlaps = places.filter(({ x, y, w, h }, index) =>
      places.some(
        (other, at) =>
          at > index && x < other.x + other.w && other.x < x + w && y < other.y + other.h && other.y < y + h,
      ),
    );
    expect(overlaps).toEqual([]);
    expect(places.filter(({ x, w }) => x + w > 24)).toEqual([]);
    const ids: number[] = dashboard.panels.map(({ id }: { id: number }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.skipIf(!hasPromtool)("has valid PromQL queries", async () => {
    const rules = expressions().map((expr, index) => ({ record: `panel_${index}`, expr }));
    // JSON is YAML.
    const file = join(directory, "panels.yml");
    await writeFile(file, JSON.stringify({ groups: [{ name: "panels", rules }] }));
    expect(promtool(["check", "rules", file])).toMatchObject({ isRight: true });
  });
});
