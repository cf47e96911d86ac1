import { expect, test } from "vitest";
import { startRemoteCommands } from "../support/transfer/environment-files.js";

const commands = await startRemoteCommands();

test("the schema for properties is printed as a TypeScript type", async () => {
  const { testing } = await commands.createEnvironments();
  const types = (...options: readonly string[]) =>
    commands.run(["properties", "types", ...options], { USER_GROUPS_API_KEY: testing.key });
  expect(await types()).toMatchObject({ code: 1, stderr: expect.stringContaining("has no schema") });
  const schema = {
    title: "What a customer has",
    type: "object",
    properties: {
      region: { type: "string", enum: ["EU", "US"], description: "Where */ the data is." },
      seats: { type: ["integer", "null"], minimum: 1, examples: [{ $ref: "file:///none.json" }] },
      link: { default: { $ref: "http://127.0.0.1:1/none.json" }, type: "object" },
      "sales region": { type: "array", items: { type: "number" } },
    },
    required: ["region"],
    additionalProperties: false,
  };
  await testing.mutate("setPropertySchema", { mode: "WARN", schema });
  const { code, stdout } = await types();
  expect(code).toBe(0);
  expect(stdout).toBe(`export interface Properties {
  /**
   * Where * / the data is.
   */
  region: "EU" | "US";
  seats?: number | null;
  link?: {
    [k: string]: unknown;
  };
  "sales region"?: number[];
}
`);
  expect(JSON.parse((await types("--json")).stdout)).toEqual({ types: stdout });
});
