import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { validSite } from "../../../packages/site-config/test/documents.js";
import { databaseUrl } from "../postgres/database-url.js";
import { recordOutput } from "../secrets/process-record.js";
import { runHere } from "../service/command.js";
import { compileService } from "../service/compiled-service.js";
import type { ProcessEnd } from "../service/running-process.js";
import { startTestService } from "../service/test-service.js";

/** The command's options on a shell command line. */
export const ACCOUNT_OPTIONS = '--account "$NAME" --environment Customer';

/** The `site-config` commands with a running service, and files: good, renamed, warned, bad, latin1. */
export type SiteConfigCommands = Awaited<ReturnType<typeof startSiteConfigCommands>>;

export async function startSiteConfigCommands() {
  const encryptionKey = randomBytes(32);
  const service = await startTestService({ encryptionKey });
  const env = {
    DATABASE_URL: databaseUrl(service.target),
    ENCRYPTION_KEYS: encryptionKey.toString("base64"),
  };
  const folder = await mkdtemp(join(tmpdir(), "ug-site-config-store-"));
  const at = (name: string) => join(folder, name);
  await writeFile(at("good.json"), toFile(validSite));
  await writeFile(at("renamed.json"), toFile({ ...validSite, name: "Other", logo: "/a~b.svg" }));
  await writeFile(at("warned.json"), toFile({ ...validSite, sections: {} }));
  await writeFile(at("bad.json"), '{\n  "name": "Größe", "logo": 5,\n}\n');
  await writeFile(at("latin1.json"), Buffer.from('{"name": "Größe"}', "latin1"));
  return {
    service,
    /** Returns the path of a file. */
    at,
    write: (name: string, content: string) => writeFile(at(name), content),
    async createSites() {
      const { name, accountId } = await service.createAccount();
      const choice = ["--account", name, "--environment", "Customer"];
      return {
        accountId,
        accountName: name,
        /** Stores a file, in Customer by default. */
        put: (file: string, ...args: readonly string[]) =>
          runHere(["site-config", "put", at(file), ...choice, ...args], env),
        /** Runs a shell command line in the files' directory; `$CLI` is our program and `$NAME` the account. */
        async shell(line: string) {
          const program = join(await compileService(), "src", "cli.js");
          const { stdout, stderr } = await promisify(execFile)("sh", ["-c", line], {
            cwd: folder,
            env: { ...env, PATH: process.env["PATH"], NAME: name, CLI: `${process.execPath} ${program}` },
            encoding: "buffer",
            maxBuffer: 10_000_000,
          });
          recordOutput([], { stdout: stdout.toString(), stderr: stderr.toString() });
          return { stdout, stderr: stderr.toString() };
        },
      };
    },
    async close() {
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The output of a command that stored a revision. */
export function stored(what: string): ProcessEnd {
  return { code: 0, signal: null, stdout: `stored ${what}\n`, stderr: "" };
}

/** A document as formatted by an editor. */
export function toFile(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
