import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const unit = fileURLToPath(new URL("../../deploy/systemd/user-groups@.service", import.meta.url));
const has = spawnSync("systemd-analyze", ["--version"]).status === 0;
// The unit names the Node.js of a package, which need not be the one that runs these tests.
const canVerify = has && existsSync("/usr/bin/node");

test.skipIf(!canVerify)("systemd reports no problem with the unit", () => {
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});

test.skipIf(!has)("the unit is sandboxed as far as possible", () => {
  const security = ["security", "--offline=true", "--threshold=15", unit];
  expect(spawnSync("systemd-analyze", security).status).toBe(0);
});

test("upgrading by the guide's commands migrates, replaces the old version and starts the new one", () => {
  const guide = readFileSync(new URL("../../docs/deployment.md", import.meta.url), "utf8");
  const [, part = ""] = /## With systemd\n([\s\S]*?)\n## /.exec(guide) ?? [];
  const [once = "", each = ""] = [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  // Would overwrite the settings of a running service.
  expect(once).toContain("/etc/user-groups/settings.env");
  expect(each).not.toContain("install -m 600");
  const wanted = [
    "migrate up",
    "rm -rf",
    "cp -r",
    "systemctl enable user-groups@4000",
    "systemctl restart user-groups@4000",
  ];
  const places = wanted.map((command) => each.indexOf(command));
  expect(places).toEqual(places.filter((place) => place >= 0).toSorted((a, b) => a - b));
});

test("the unit starts the same command as the image, with a stop timeout longer than the service's shutdown", () => {
  const text = readFileSync(unit, "utf8");
  expect(text).toContain("ExecStart=/usr/bin/node dist/src/cli.js serve\n");
  expect(readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8")).toContain(
    'ENTRYPOINT ["node", "dist/src/cli.js"]',
  );
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(40);
});
