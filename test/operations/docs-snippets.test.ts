import { execFile } from "node:child_process";
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { validSite } from "../../packages/site-config/test/documents.js";
import { type Snippet, snippetsOf, userDocuments } from "../support/repository/doc-snippets.js";
import { callRest } from "../support/rest/rest-client.js";
import { userGroupOf } from "../support/rest/rest-fixture.js";
import { runHere } from "../support/service/command.js";
import { compileService } from "../support/service/compiled-service.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

/** Longer than all snippets take on a busy machine. */
const LIFETIME_MS = 1_800_000;
const SHELLS = ["sh", "bash"];
/** The documents' names for the service and its secrets. */
const [URL_IN_DOCS, KEY_IN_DOCS] = ["http://127.0.0.1:4000", "ugk_live_…"];
const [TOKEN_IN_DOCS, SESSION_IN_DOCS] = ["ugt_…", "eyJ…"];

/**
 * Gives curl a time limit, since a subscription has no end; runs commands in the test's process, which saves their starts, unless they
 * read their standard input; runs the service without building it first, until it is available.
 */
const PREAMBLE = `set -eu
curl() { command curl --silent --show-error --max-time 2 "$@" || [ $? = 28 ]; }
npm() {
  case "$*" in
    "run -s cli -- "*" -") shift 4; "$NODE" "$SERVICE/cli.js" "$@" ;;
    "run -s cli -- "*)
      shift 4
      { env -0; printf '\\0'; printf '%s\\0' "$@"; } |
        command curl --silent --show-error --fail-with-body -o reply --data-binary @- "$COMMANDS" ||
        { cat reply >&2; return 1; }
      cat reply ;;
    start) start_service ;;
    *) echo "npm $* is not run here" >&2; return 1 ;;
  esac
}
start_service() {
  PORT=0 DATA_DIR=$ANOTHER_DATA_DIR "$NODE" "$SERVICE/main.js" >started 2>log &
  for _ in $(seq 600); do
    grep -q "^Playground" started && break
    kill -0 $! || break
    sleep 0.1
  done
  kill -INT $! || true
  wait $! || { cat log >&2; return 1; }
}
`;

const processes = createTestProcesses();
const cwd = process.cwd();
/** Runs the commands that the preamble sends. */
const commands = createServer(async (request, response) => {
  const [variables = "", args = ""] = (await text(request)).split("\0\0");
  const entries = variables.split("\0").map((each) => {
    const end = each.indexOf("=");
    return [each.slice(0, end), each.slice(end + 1)];
  });
  const end = await runHere(args.split("\0").slice(0, -1), Object.fromEntries(entries));
  response.writeHead(end.code === 0 ? 200 : 500).end(end.code === 0 ? end.stdout : end.stderr);
});
let service: RunningService;
let env: Record<string, string>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ug-docs-"));
  process.chdir(folder);
  await once(commands.listen(0, "127.0.0.1"), "listening");
  await writeFile(join(folder, "mint.json"), JSON.stringify(validSite, null, 2));
  const dataDir = await processes.newPreparedDataDir();
  service = await processes.serve({ env: { DATA_DIR: dataDir }, lifetimeMs: LIFETIME_MS });
  const [key = ""] = /ugk_live_\w+/.exec(service.startUpText) ?? [];
  env = {
    PATH: process.env["PATH"] ?? "",
    KEY: key,
    USER_GROUPS_API_KEY: key,
    METRICS_TOKEN: "0123456789abcdef",
    NODE: process.execPath,
    SERVICE: join(await compileService(), "src"),
    DATA_DIR: dataDir,
    ANOTHER_DATA_DIR: await processes.newPreparedDataDir(),
    COMMANDS: `http://127.0.0.1:${Object(commands.address()).port}`,
  };
});
afterAll(async () => {
  process.chdir(cwd);
  commands.close();
  await processes.close();
  await rm(folder, { recursive: true });
});

/** Runs a documented command, with the current token of the group `acme` in place of a token, and an embed session of it. */
async function run(command: string): Promise<string> {
  const key = env["KEY"] ?? "";
  const acme = { user_group_id: "acme", name: "Acme Inc." };
  const reply = await callRest(`${service.url}/api/user`, "GET", key, acme);
  const session = await callRest(`${service.url}/api/embed-session`, "POST", key, { user_group_id: "acme" });
  const script = command
    .replaceAll(URL_IN_DOCS, service.url)
    .replaceAll("https://explo.example.com", service.url)
    .replaceAll(KEY_IN_DOCS, key)
    .replaceAll(TOKEN_IN_DOCS, userGroupOf(reply).token)
    .replaceAll(SESSION_IN_DOCS, String(Object(session.body).token));
  // Without SHLVL, Bash takes the pipe for a remote login's, and would read ~/.bashrc each time.
  const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", PREAMBLE + script], {
    cwd: folder,
    env,
  });
  return stdout;
}

function isRun({ language, file }: Snippet): boolean {
  return SHELLS.includes(language) || language === "json" || file !== undefined;
}

/** Splits at empty lines: each part is a command. */
function commandsOf({ code }: Snippet): readonly string[] {
  return code.split(/\n\s*\n/).filter((part) => part.trim() !== "");
}

const documents = userDocuments().filter((document) => snippetsOf(document).some(isRun));

describe.each(documents)("%s", (document) => {
  for (const snippet of snippetsOf(document)) {
    const { line, language, code, file, notRun } = snippet;
    const name = `line ${line}: ${language}`;
    if (notRun !== undefined) test.skip(`${name} (not run: ${notRun})`, () => undefined);
    else if (SHELLS.includes(language)) {
      test(name, async () => {
        for (const command of commandsOf(snippet)) {
          const output = await run(command);
          expect(output, command).not.toMatch(/"success":0|"errors":\[\{|"userErrors":\[\{|^curl:/m);
        }
      });
    } else if (file !== undefined) test(name, () => writeFile(join(folder, file), code));
    else if (language === "json") test(name, () => void JSON.parse(code));
  }
});

test("the manual verification in docs/webhooks.md distinguishes genuine signatures from forged ones", () => {
  const [snippet] = snippetsOf("docs/webhooks.md").filter(({ language }) => language === "js");
  const verify = new Function(
    ...["createHmac", "timingSafeEqual", "secret", "headers", "body"],
    `${snippet?.code.replace(/^import .*$/m, "")}; return isOurs;`,
  );
  const secret = `whsec_${Buffer.from("a secret of thirty-two bytes ....").toString("base64")}`;
  const body = '{"id":"1"}';
  const now = new Date();
  const headers = (time: Date) => ({
    "webhook-id": "1",
    "webhook-timestamp": String(Math.floor(time.getTime() / 1000)),
    "webhook-signature": `v1,AAAA ${new Webhook(secret).sign("1", time, body)}`,
  });
  const isOurs = (...given: unknown[]) => verify(createHmac, timingSafeEqual, ...given);
  expect(isOurs(secret, headers(now), body)).toBe(true);
  expect(isOurs(secret, headers(now), `${body} `)).toBe(false);
  expect(isOurs(`whsec_${Buffer.from("another").toString("base64")}`, headers(now), body)).toBe(false);
  expect(isOurs(secret, headers(new Date(now.getTime() - 600_000)), body)).toBe(false);
});
