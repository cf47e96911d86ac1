import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGraphql } from "../support/graphql/graphql-fixture.js";
import { freePort } from "../support/programs/free-port.js";
import { type GuardedProgram, startGuarded } from "../support/programs/guarded-program.js";
import { recordReply } from "../support/secrets/run-record.js";
import { goodSite } from "../support/site-configs/store.js";

const hasNginx = spawnSync("nginx", ["-v"]).status === 0;

describe.skipIf(!hasNginx)("behind an nginx that compresses replies", async () => {
  const { keys, service } = await startGraphql();
  let folder: string;
  let nginx: GuardedProgram;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ug-nginx-"));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    const config = `
      daemon off; master_process off; pid ${join(folder, "pid")};
      events {}
      http {
        ${temporary.join(" ")}
        access_log off;
        gzip on; gzip_types application/json; gzip_proxied any; gzip_min_length 1;
        server { listen 127.0.0.1:${port}; location / { proxy_pass ${service.url}; } }
      }`;
    await writeFile(join(folder, "nginx.conf"), config);
    nginx = await startGuarded(
      "nginx",
      ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"],
      port,
    );
  });
  afterAll(async () => {
    await nginx?.end();
    await rm(folder, { recursive: true, force: true });
  });

  /** Sends a request. The reply must be compressed if it is successful: nginx leaves others. */
  async function send(method: string, path: string, body: object | undefined, ifMatch?: string) {
    const reply = await request(`${url}${path}`, {
      method,
      headers: {
        authorization: `Token ${keys.admin}`,
        "accept-encoding": "gzip",
        ...(body && { "content-type": "application/json" }),
        ...(ifMatch !== undefined && { "if-match": ifMatch }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await reply.body.arrayBuffer());
    expect(reply.headers["content-encoding"]).toBe(reply.statusCode === 200 ? "gzip" : undefined);
    const text = (reply.statusCode === 200 ? gunzipSync(bytes) : bytes).toString();
    recordReply(text);
    return { status: reply.statusCode, etag: String(reply.headers["etag"]), body: JSON.parse(text) };
  }

  test("the tag of each reply is weak, and the next change of a user group succeeds with it", async () => {
    const group = { user_group_id: "acme" };
    const read = await send("GET", "/api/user", { ...group, name: "Acme" });
    const { team_id, token } = read.body.user_group;
    expect(read.etag).toBe(`W/"${team_id}-1"`);
    let { etag } = read;
    for (const version of [2, 3, 4]) {
      const former = etag;
      const changed = await send("PUT", "/api/user", { ...group, name: `${version}` }, etag);
      expect(changed).toMatchObject({ status: 200, etag: `W/"${team_id}-${version}"` });
      expect((await send("PUT", "/api/user", { ...group, name: "Lost" }, former)).status).toBe(412);
      etag = changed.etag;
    }
    const rotated = await send("POST", "/api/user", { current_token: token }, etag);
    expect(rotated).toMatchObject({ status: 200, etag: `W/"${team_id}-5"` });
    const { token: current_token } = rotated.body.user_group;
    expect((await send("DELETE", "/api/user", { current_token }, etag)).status).toBe(412);
    expect((await send("DELETE", "/api/user", { current_token }, rotated.etag)).status).toBe(200);
  });

  test("the same for a site configuration", async () => {
    const path = "/site-config/docs";
    await send("PUT", path, goodSite);
    for (const name of ["A", "B"]) {
      const { etag } = await send("GET", path, undefined);
      expect(etag).toMatch(/^W\//);
      expect((await send("PUT", path, { ...goodSite, name }, etag)).status).toBe(200);
      expect((await send("DELETE", path, undefined, etag)).status).toBe(412);
    }
    const { etag } = await send("GET", path, undefined);
    expect((await send("DELETE", path, undefined, etag)).status).toBe(200);
  });
});
