// @ts-check
// Draws the panels of deploy/grafana/dashboard.json from metrics of a service under load: npm run dashboard:picture
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { sendLoad } from "./load.js";
import { renderDashboard } from "./render.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const METRICS_TOKEN = "dashboard-picture-token";
const PROMETHEUS = "127.0.0.1:19090";
const RATE_INTERVAL = "15s";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "180" },
    prometheus: { type: "string", default: "prometheus" },
    chromium: { type: "string", default: "/usr/bin/chromium" },
    out: { type: "string", default: join(root, "docs/images/dashboard.png") },
  },
});
const work = await mkdtemp(join(tmpdir(), "ug-dashboard-"));
/** @type {import("node:child_process").ChildProcess[]} */
const children = [];
try {
  const { url, key } = await startService();
  await startPrometheus(new URL(url).host);
  const start = Date.now() / 1000;
  await sendLoad({ url, key, seconds: Number(values.seconds) });
  await draw(start, Date.now() / 1000);
  process.stdout.write(`${values.out}\n`);
} finally {
  for (const child of children) {
    child.kill("SIGINT");
    if (child.exitCode === null) await once(child, "exit");
  }
  await rm(work, { recursive: true, force: true });
}

/** Starts the built service. @returns {Promise<{ url: string, key: string }>} */
async function startService() {
  const env = {
    PORT: "0",
    DATA_DIR: join(work, "data"),
    METRICS_TOKEN,
    WEBHOOK_ALLOW_PRIVATE: "true",
  };
  const service = spawn(process.execPath, ["dist/src/main.js"], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.push(service);
  let text = "";
  for await (const chunk of service.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes("\nPlayground")) break;
  }
  service.stdout.resume();
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
  const [key] = /ugk_live_\w+/.exec(text) ?? [];
  if (url === undefined || key === undefined) throw new Error(`The service did not start:\n${text}`);
  return { url, key };
}

/** Scrapes the service every second. @param {string} target */
async function startPrometheus(target) {
  const job = {
    job_name: "user-groups",
    authorization: { credentials: METRICS_TOKEN },
    static_configs: [{ targets: [target] }],
  };
  // JSON is YAML.
  await writeFile(
    join(work, "prometheus.yml"),
    JSON.stringify({ global: { scrape_interval: "1s" }, scrape_configs: [job] }),
  );
  const args = [
    `--config.file=${join(work, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(work, "tsdb")}`,
    `--web.listen-address=${PROMETHEUS}`,
  ];
  const prometheus = spawn(values.prometheus, args, { stdio: "ignore" });
  children.push(prometheus);
  await once(prometheus, "spawn");
  for (let turn = 0; turn < 100; turn += 1) {
    const reply = await fetch(`http://${PROMETHEUS}/-/ready`).catch(() => undefined);
    if (reply?.ok) return;
    await sleep(100);
  }
  throw new Error("Prometheus did not start.");
}

/** @param {number} start @param {number} end in Unix seconds */
async function draw(start, end) {
  const { panels } = JSON.parse(await readFile(join(root, "deploy/grafana/dashboard.json"), "utf8"));
  const [from, to] = [Math.ceil(start), Math.floor(end)];
  const times = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const charts = [];
  for (const { title, type, gridPos, targets = [], fieldConfig } of panels) {
    if (type !== "row" && type !== "timeseries") continue;
    const series = [];
    for (const target of targets) series.push(...(await query(target, from, to)));
    const { unit = "short", noValue = "No data" } = fieldConfig?.defaults ?? {};
    charts.push({ title, type, gridPos, unit, noValue, series });
  }
  await renderDashboard(times, charts, { file: values.out, browser: values.chromium });
}

/** @param {{ expr: string, legendFormat: string }} target @param {number} from @param {number} to */
async function query({ expr, legendFormat }, from, to) {
  const promql = expr
    .replaceAll("$__rate_interval", RATE_INTERVAL)
    .replaceAll("$job", "user-groups")
    .replaceAll("$instance", ".*");
  const parameters = new URLSearchParams({ query: promql, start: String(from), end: String(to), step: "1" });
  const { status, data, error } = await (
    await fetch(`http://${PROMETHEUS}/api/v1/query_range?${parameters}`)
  ).json();
  if (status !== "success") throw new Error(`${promql}: ${error}`);
  return data.result.map(
    (
      /** @type {{ metric: Record<string, string>, values: [number, string][] }} */ {
        metric,
        values: points,
      },
    ) => {
      const byTime = new Map(points.map(([time, value]) => [time, Number(value)]));
      return {
        label: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => metric[name] ?? ""),
        values: Array.from({ length: to - from + 1 }, (_, index) => byTime.get(from + index) ?? null),
      };
    },
  );
}
