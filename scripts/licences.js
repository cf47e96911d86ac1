// Lists the production packages with their versions and licences.

import { readFile } from "node:fs/promises";

const { packages } = JSON.parse(await readFile(new URL("../package-lock.json", import.meta.url), "utf8"));
const lines = Object.entries(packages)
  .filter(([path, { dev, link }]) => path.startsWith("node_modules/") && !dev && !link)
  .map(([path, { name, version, license }]) => {
    const [, shortName] = /^.*node_modules\/(.*)$/.exec(path);
    return `${name ?? shortName} ${version}: ${license}`;
  });
process.stdout.write(`${[...new Set(lines)].sort().join("\n")}\n`);
