import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.js";
import { startGuarded } from "./guarded-program.js";

export const NO_HAPROXY = "haproxy is not installed";

export const hasHaproxy = spawnSync("haproxy", ["-v"]).status === 0;

/** The header in which HAProxy names the replica that replied. */
export const REPLICA_HEADER = "x-replica";

export interface Haproxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts an HAProxy in front of replicas, with readiness checks. It retries only requests that could not be sent, on another replica.
 * @param ports the replicas' ports by name
 */
export async function startHaproxy(ports: Readonly<Record<string, number>>): Promise<Haproxy> {
  const directory = await mkdtemp(join(tmpdir(), "ug-haproxy-"));
  const port = await freePort();
  const servers = Object.entries(ports).map(
    ([name, replicaPort]) => `  server ${name} 127.0.0.1:${replicaPort} check inter 100ms fall 2 rise 1`,
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
