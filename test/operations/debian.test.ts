import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { snippetsOf } from "../support/repository/doc-snippets.js";
import { compileService } from "../support/service/compiled-service.js";

const project = fileURLToPath(new URL("../../", import.meta.url));
/** Steps that need a network or a long build. */
const NOT_HERE = ["apt-get install", "npm ci"];
const NAMESPACES = ["--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc"];

/**
 * Stands in for systemd: starts the unit's command with its settings, as another user, and Caddy, with certificates of its own authority since the
 * domain is not this machine's.
 */
const SYSTEMCTL = `#!/bin/bash
set -eu
case "$*" in
  daemon-reload | "enable user-groups@"*) ;;
  "restart user-groups@"*)
    port=\${2#*@}
    unit=/etc/systemd/system/user-groups@.service
    grep -qx 'Environment=PORT=%i' "$unit"
    value() { sed -n "s/^$1=//p" "$unit" | head -1; }
    set -a; . "$(value EnvironmentFile)"; set +a
    cd "$(value WorkingDirectory)"
    PORT=$port setpriv --reuid=nobody --regid=nogroup --clear-groups $(value ExecStart) </dev/null >/var/log/user-groups-$port 2>&1 & ;;
  "reload caddy")
    { printf '{\n\tlocal_certs\n\tskip_install_trust\n}\n'; cat /etc/caddy/Caddyfile; } >/tmp/Caddyfile
    HOME=/tmp caddy start --config /tmp/Caddyfile --adapter caddyfile ;;
  *) echo "unexpected: systemctl $*" >&2; exit 1 ;;
esac
`;

/** Calls the service through Caddy, as far as an event of a change that arrives while its stream is open. */
const CALL = `
through_caddy() {
  curl -sk --resolve groups.example.com:443:127.0.0.1 --resolve groups.example.com:80:127.0.0.1 -H "authorization: Token $key" \\
    -H 'content-type: application/json' "$@"
}
status() { through_caddy -o /dev/null -w '%{http_code}' "$@"; }
key=$(node /opt/user-groups/dist/src/cli.js key create --account acme --environment Customer --scope admin --json |
  grep -o 'ugk_live_[[:alnum:]_-]*' | head -1)
url=https://groups.example.com
echo "-- statuses: $(status $url/readyz) $(status $url/metrics) $(status http://groups.example.com/)"
through_caddy -X GET $url/api/user -d '{"user_group_id": "tls", "name": "TLS"}'
query='subscription { userGroupChanged(by: { providedId: \\"tls\\" }) { kind } }'
through_caddy -N -H 'accept: text/event-stream' $url/graphql -d "{\\"query\\": \\"$query\\"}" >/tmp/events &
stream=$!
for change in $(seq 100); do
  through_caddy -X PUT $url/api/user -d "{\\"user_group_id\\": \\"tls\\", \\"name\\": \\"TLS $change\\"}" >/dev/null
  ! grep -q UPDATED /tmp/events || break
  sleep 0.1
done
kill -0 $stream
echo "-- event: $(grep -o -m 1 UPDATED /tmp/events)"
kill $stream
`;

/** Enters a copy of this machine's files: what changes is in memory only, and gone when the script ends. */
const ENTER = `set -eu
mount -t tmpfs none "$1"
mkdir "$1/changes" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
root=$1/root
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
for path in "$2" "$3"; do mkdir -p "$root$path"; mount --bind "$path" "$root$path"; done
ip link set lo up
exec chroot "$root" /bin/bash "$3/steps.sh"
`;

const canEnter =
  process.getuid?.() === 0 &&
  ["pg_createcluster", "runuser", "ip", "setpriv", "curl", "caddy"].every(
    (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0,
  ) &&
  spawnSync("unshare", [
    ...NAMESPACES,
    "sh",
    "-c",
    "mount -t tmpfs none /mnt && mkdir /mnt/u /mnt/w /mnt/r && mount -t overlay o -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r",
  ]).status === 0;

test.skipIf(!canEnter)("the steps of docs/debian.md set up, serve, back up and restore", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ug-debian-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const mountPoint = join(folder, "mount");
  await mkdir(mountPoint);
  await writeFile(join(folder, "systemctl"), SYSTEMCTL);
  const blocks = snippetsOf("docs/debian.md").filter(({ language }) => language === "sh");
  const steps = blocks
    .map(({ code }) => code)
    .filter((code) => !NOT_HERE.some((part) => code.includes(part)));
  expect(steps).toHaveLength(blocks.length - NOT_HERE.length);
  const [version = ""] = (await readdir("/usr/lib/postgresql")).toSorted((a, b) => Number(b) - Number(a));
  const script = [
    "set -eu",
    `install -m 755 ${folder}/systemctl /usr/local/bin/systemctl`,
    // As the packages leave the machine.
    "hash -r; mkdir -p /run/postgresql && chown postgres /run/postgresql",
    "for cluster in /etc/postgresql/*/*; do [ ! -d $cluster ] || rm -rf $cluster /var/lib/postgresql/*; done",
    `pg_createcluster ${version} main && pg_ctlcluster ${version} main start`,
    `[ ${process.execPath} -ef /usr/bin/node ] || ln -sf ${process.execPath} /usr/bin/node`,
    // As step 4 builds and installs it.
    `mkdir -p /opt/user-groups && cp -r ${await compileService()} /opt/user-groups/dist`,
    `cp ${project}package.json /opt/user-groups/ && ln -s ${project}node_modules /opt/user-groups/node_modules`,
    `install -m 644 ${project}deploy/systemd/user-groups@.service /etc/systemd/system/`,
    // The guide's steps share one shell, as a reader's do.
    ...steps.flatMap((code) => [code, "cd /", 'echo "-- done"']),
    "ls -l /etc/user-groups",
    CALL,
    `pg_ctlcluster ${version} main stop --mode=immediate`,
  ].join("\n");
  await writeFile(join(folder, "steps.sh"), script);
  const output = await run("unshare", [
    ...NAMESPACES,
    "sh",
    "-c",
    ENTER,
    "sh",
    mountPoint,
    project.replace(/\/$/, ""),
    folder,
  ]);
  expect(output).toMatch(/ugk_live_\w+/);
  expect(output.split("-- done")).toHaveLength(steps.length + 1);
  // The restored database has the account.
  expect(output).toMatch(/^\s+1$/m);
  expect(output).toMatch(/^-rw------- .* settings\.env$/m);
  expect(output).toContain("-- statuses: 200 404 308");
  expect(output).toContain("-- event: UPDATED");
  expect(existsSync("/opt/user-groups/dist")).toBe(false);
});

/** Runs a program. @returns what it wrote @throws Error with that, if it fails */
async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(output);
  return output;
}
