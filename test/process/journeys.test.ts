import { afterAll, beforeAll, expect, test } from "vitest";
import {
  jsonRequest,
  type KeepAliveClient,
  openKeepAliveClient,
  userRequest,
} from "../support/rest/keep-alive-client.js";
import { compileService } from "../support/service/compiled-service.js";
import { Inspector } from "../support/service/inspector.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

const RUNS = 50;
const GROUP = { user_group_id: "acme", name: "A", mapping: { sales: "demo-sales" }, properties: { a: 1 } };
const QUERY = `query($id: String!) {
  userGroup(by: { providedId: $id }) { id name token properties mapping { schemaId dataSource { id providedId name } } }
}`;

const processes = createTestProcesses();
let service: RunningService;
let client: KeepAliveClient;
let key: string;
let token: unknown;
beforeAll(async () => {
  service = await processes.serve({
    env: {
      DATA_DIR: await processes.newPreparedDataDir(),
      NODE_OPTIONS: "--inspect=127.0.0.1:0",
      LOG_SUCCESSES_PER_SECOND: "1000000",
    },
  });
  client = await openKeepAliveClient(service.url);
  key = /ugk_live_\w+/.exec(service.startUpText)?.[0] ?? "";
  await send(userRequest("GET", key, GROUP));
});
afterAll(async () => {
  client.close();
  await processes.close();
});

async function send(request: string): Promise<void> {
  client.write(request);
  const reply = await client.next();
  expect(reply).toMatchObject({ status: 200 });
  token = /"(ugt_\w+)"/.exec(JSON.stringify(reply))?.[1];
}

/** The functions and files of the service that a request enters, at most (docs/ARCHITECTURE.md): a few more if a timer fires meanwhile. */
test.each<[string, number, number, () => string]>([
  ["GET of an existing group", 103, 38, () => userRequest("GET", key, GROUP)],
  ["POST that rotates a token", 132, 40, () => userRequest("POST", key, { current_token: token })],
  ["PUT of a name", 106, 38, () => userRequest("PUT", key, { user_group_id: "acme", name: "A" })],
  [
    "userGroup(by:) with mapping",
    156,
    54,
    () => jsonRequest("POST", "/graphql", key, { query: QUERY, variables: { id: "acme" } }),
  ],
])("%s enters at most %i functions in %i files", async (_name, maxFunctions, maxFiles, request) => {
  const run = () => send(request());
  for (let count = 0; count < RUNS; count += 1) await run();
  const inspector = await Inspector.open(service.stderr());
  const entered = await inspector.findEntered(`${await compileService()}/src/`, RUNS, run);
  inspector.close();
  const files = new Set(entered.map(([file]) => file));
  expect(entered.length).toBeGreaterThan(0);
  const seen = entered.map((each) => each.join(" ")).join("\n");
  expect(entered.length, seen).toBeLessThanOrEqual(maxFunctions);
  expect(files.size, seen).toBeLessThanOrEqual(maxFiles);
});
