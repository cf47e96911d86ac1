import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { LANGUAGES } from "../support/recipes/languages.js";
import { readDocument, snippetsOf } from "../support/repository/doc-snippets.js";
import { mistyped } from "../support/secrets/secret-search.js";
import { startTestService, type TestService } from "../support/service/test-service.js";

const programs = fileURLToPath(new URL("../support/recipes/", import.meta.url));
const client = fileURLToPath(new URL("../../clients/typescript/src/index.ts", import.meta.url));
const BODY =
  '{"id":"1","type":"user_group.updated","createdAt":"2025-11-21T12:00:00.000Z","environment":"Customer","data":{"userGroup":{"id":"VXNl","teamId":1,"providedId":"acme","version":2,"changed":["name"]}}}';

let service: TestService;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
  const account = await service.createAccount();
  const { secret: key } = await account.createKey({ scope: "write" });
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const now = new Date();
  env = {
    PATH: process.env["PATH"] ?? "",
    HOME: tmpdir(),
    CGO_ENABLED: "0",
    GO111MODULE: "off",
    USER_GROUPS_URL: service.url,
    USER_GROUPS_API_KEY: key,
    AUDIENCE: `${account.name}/Customer`,
    WEBHOOK_ID: "1",
    WEBHOOK_TIMESTAMP: String(Math.floor(now.getTime() / 1000)),
    // As after a rotation of the secret, which signs with both.
    WEBHOOK_SIGNATURE: `v1,AAAA ${new Webhook(secret).sign("1", now, BODY)}`,
    WEBHOOK_SECRET: secret,
    WEBHOOK_BODY: BODY,
  };
});
afterAll(() => service?.close());

/** Writes a page's files to a folder. */
async function writeRecipes(page: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ug-recipes-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = snippetsOf(`docs/recipes/${page}.md`).filter(({ file }) => file !== undefined);
  expect(files).toHaveLength(3);
  for (const { file = "", code } of files) await writeFile(join(folder, file), code);
  return folder;
}

describe("recipes get or create, update, embed, rotate and delete, and verify sessions and webhooks", () => {
  for (const { name, main, commands } of LANGUAGES) {
    test.skipIf(commands === undefined)(`in ${name}`, async () => {
      const folder = await writeRecipes(name);
      await copyFile(join(programs, main), join(folder, main));
      let output = "";
      for (const [command = "", ...args] of commands ?? []) {
        output = (await promisify(execFile)(command, args, { cwd: folder, env })).stdout;
      }
      expect(output).toBe("Acme Inc.|viewer|refused|refused|user_group_not_found|true|true|false|false\n");
    });
  }

  test("in TypeScript", async () => {
    const folder = await writeRecipes("typescript");
    const names = ["groups", "sessions", "webhooks"];
    await writeFile(join(folder, "main.ts"), names.map((name) => `export * from "./${name}.js";`).join("\n"));
    const bundle = await rolldown({
      input: join(folder, "main.ts"),
      platform: "node",
      resolve: { alias: { "@user-groups/client": client } },
    });
    await bundle.write({ file: join(folder, "main.mjs"), codeSplitting: false });
    await bundle.close();
    process.env["USER_GROUPS_URL"] = service.url;
    process.env["USER_GROUPS_API_KEY"] = env["USER_GROUPS_API_KEY"];
    const recipes = z
      .record(z.string(), z.function({ input: [z.any(), z.any(), z.any()], output: z.any() }))
      .parse({ ...(await import(pathToFileURL(join(folder, "main.mjs")).href)) });
    const call = (name: string, ...args: unknown[]) => recipes[name]?.(args[0], args[1], args[2]);
    const token = await call("manageGroup", "recipe-typescript");
    const session: string = await call("createSession", "recipe-typescript");
    expect(await call("variablesOf", session, env["AUDIENCE"])).toEqual({ role: "viewer" });
    await expect(call("variablesOf", mistyped(session), env["AUDIENCE"])).rejects.toThrow();
    await call("deleteGroup", token);
    await expect(call("deleteGroup", token)).rejects.toMatchObject({ code: "user_group_not_found" });
    const headers = {
      "webhook-id": env["WEBHOOK_ID"],
      "webhook-timestamp": env["WEBHOOK_TIMESTAMP"],
      "webhook-signature": env["WEBHOOK_SIGNATURE"],
    };
    expect(await call("eventOf", BODY, headers, env["WEBHOOK_SECRET"])).toMatchObject({ id: "1" });
    expect(await call("eventOf", `${BODY} `, headers, env["WEBHOOK_SECRET"])).toBeUndefined();
  });
});

test("every page of recipes is linked", () => {
  const pages = [...LANGUAGES.map(({ name }) => name), "csharp", "typescript"];
  for (const page of pages) expect(readDocument("docs/README.md")).toContain(`(recipes/${page}.md)`);
});
