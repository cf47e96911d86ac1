import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { MAX_KEY_CACHE_MS } from "../../../src/services/accounts/key-cache.js";
import { toBytes } from "../../support/faults/slow-readers.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";

const { account, rest: call, service } = await startGraphql();
const text = (value: object) => JSON.stringify(value);

/** Requests that would change the group "g", or create an object. */
const REQUESTS = [
  ["PUT /api/user", text({ user_group_id: "g", name: "Late" })],
  ["POST /api/embed-session", text({ user_group_id: "g" })],
  [
    "PUT /site-config/late",
    text({
      name: "Late",
      favicon: "/f.png",
      colors: { primary: "#0a7" },
      navigation: [{ group: "A", pages: ["a"] }],
    }),
  ],
  [
    "POST /graphql",
    text({
      query:
        'mutation { updateUserGroup(input: { by: { providedId: "g" }, name: "Late" }) { userErrors { code } } }',
    }),
  ],
] as const;

test("a key that is revoked while the body arrives changes nothing", async () => {
  await call("GET", { user_group_id: "g", name: "G" });
  const { secret, id } = await account.createKey();
  // The key is cached when the requests begin.
  expect(await callRest(`${service.url}/api/user`, "GET", secret, { user_group_id: "g" })).toMatchObject({
    status: 200,
  });
  const requests = await Promise.all(
    REQUESTS.map(async ([line, body]) => {
      const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
      onTestFinished(() => {
        socket.destroy();
      });
      await once(socket, "connect");
      const headers = {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        Authorization: `Token ${secret}`,
      };
      socket.write(toBytes(line, headers, body.slice(0, 5)));
      return { line, socket, rest: body.slice(5) };
    }),
  );
  // All have been admitted: another request on a new connection is answered later.
  await call("GET", { user_group_id: "g" });
  await service.services.accounts.revokeKey(id);
  // Longer than a revoked key may work.
  await sleep(MAX_KEY_CACHE_MS + 50);
  for (const { line, socket, rest: remainder } of requests) {
    const answered = once(socket, "data");
    socket.write(remainder);
    expect(String((await answered)[0]), line).toMatch(/^HTTP\/1\.1 401 /);
  }
  expect(await call("GET", { user_group_id: "g" })).toMatchObject({ body: { user_group: { name: "G" } } });
  const counts = await service.query(
    "SELECT (SELECT count(*)::integer FROM site_config) AS sites, (SELECT count(*)::integer FROM embed_session_count) AS sessions",
  );
  expect(counts).toEqual([{ sites: 0, sessions: 0 }]);
});
