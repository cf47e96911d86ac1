import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.js";
import { startGuarded } from "./guarded-program.js";

export const NO_HAPROXY = "haproxy is not installed";

/** Whether an HAProxy can be started on this machine. */
export const hasHaproxy = spawnSync("haproxy", ["-v"]).status === 0;

/** The header in which HAProxy tells who answered. */
export const REPLICA_HEADER = "x-replica";

export interface Haproxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts an HAProxy in front of replicas, which it asks for their readiness. A request that could not even be sent goes to another one; none is sent twice.
 * @param ports those of the replicas by their names
 */
export async function startHaproxy(ports: Readonly<Record<string, number>>): Promise<Haproxy> {
  const directory = await mkdtemp(join(tmpdir(), "ug-haproxy-"));
  const port = await freePort();
  const servers = Object.entries(ports).map(
    ([name, own]) => `  server ${name} 127.0.0.1:${own} check inter 100ms fall 2 rise 1`,
  );
  const file = join(directory, "haproxy.cfg");
  await writeFile(
    file,
    `global
  maxconn 500
defaults
  mode http
  option redispatch 1
  retries 3
  retry-on conn-failure
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  timeout check 2s
listen front
  bind 127.0.0.1:${port}
  option httpchk GET /readyz
  http-check expect status 200
  http-response set-header ${REPLICA_HEADER} %s
${servers.join("\n")}
`,
  );
  const program = await startGuarded("haproxy", ["-q", "-db", "-f", file], port);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      await program.end();
      await rm(directory, { recursive: true });
    },
  };
}
