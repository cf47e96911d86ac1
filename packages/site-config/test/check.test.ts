import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkFiles } from "../src/check.js";
import type { CheckFormat } from "../src/check-format.js";
import { validSite } from "./documents.js";

const good = JSON.stringify({ ...validSite, sections: {}, $schema: "/schema.json" }, null, 2);
const bad = `\ufeff{
  "name": "Größe 🙂", "logo": 5,
\t"navigation": [{ "group": "", "pages": ["a"] }], "favicon": "/f.svg",
  "colors": { "primary": "r,e:d%" }
}
`;

let folder: string;
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ug-site-config-"));
  await writeFile(at("good.json"), good);
  await writeFile(at("bad,1.json"), bad);
  await writeFile(at("latin1.json"), Buffer.from('{"name": "Größe"}', "latin1"));
  await writeFile(at("control.json"), JSON.stringify({ ...validSite, "\u001b[31m": 1 }));
});
afterAll(() => rm(folder, { recursive: true }));

async function check(
  files: readonly string[],
  { strict = false, format = "text" }: { readonly strict?: boolean; readonly format?: CheckFormat } = {},
  standardInput = "",
): Promise<{ code: number; output: string }> {
  let output = "";
  const input = Readable.from([Buffer.from(standardInput)]);
  const print = (text: string) => {
    output += text;
  };
  const code = await checkFiles(files, { strict, format }, { input, print });
  return { code, output: output.replaceAll(`${folder}/`, "") };
}

describe("text", () => {
  test("shows each finding with its line and column", async () => {
    expect(await check([at("good.json"), at("bad,1.json")])).toEqual({
      code: 1,
      output: [
        'good.json:16:3: warning unknown_property: "sections" is not a known property.',
        'good.json:17:3: notice undocumented_property: "$schema" is in common use but not part of the format; it is stored unchanged.',
        "bad,1.json:1:1: error byte_order_mark: The text must not start with a byte order mark (U+FEFF); save it as UTF-8 without BOM.",
        'bad,1.json:2:31: error wrong_type: "logo" must be a string or an object, not a number.',
        'bad,1.json:4:26: error invalid_color: "colors.primary" must be a color in the form #rgb or #rrggbb, not "r,e:d%".',
        "2 files checked: 3 errors, 1 warning, 1 notice.",
        "",
      ].join("\n"),
    });
  });

  test("shows no control characters", async () => {
    const { output } = await check([at("control.json")]);
    expect(output).toContain(String.raw`"\u001b[31m"`);
    expect(output).not.toContain("\u001b");
  });

  test("treats warnings as errors in strict mode", async () => {
    expect(await check([at("good.json")])).toMatchObject({ code: 0 });
    const { code, output } = await check([at("good.json")], { strict: true });
    expect(code).toBe(1);
    expect(output).toMatch(
      /^good\.json:16:3: error unknown_property[\s\S]*1 error, 0 warnings, 1 notice\.\n$/,
    );
  });

  test("reads standard input", async () => {
    const { code, output } = await check(["-"], {}, '{"name": 1,}');
    expect(code).toBe(1);
    expect(output).toContain("<stdin>:1:10: error wrong_type");
    expect(output).toContain("<stdin>:1:11: error trailing_comma");
  });

  test("reports unreadable files and continues", async () => {
    expect(await check([at("none.json"), folder, at("latin1.json"), at("good.json")])).toEqual({
      code: 2,
      output: expect.stringMatching(
        /^none\.json: error unreadable_file: .* it does not exist\.\n.*: error unreadable_file: .* it is a directory\.\nlatin1\.json: error invalid_utf8: [^\n]*\ngood\.json:16:3: warning/,
      ),
    });
  });
});

test("github: writes escaped workflow commands", async () => {
  const { code, output } = await check([at("bad,1.json"), at("none.json"), at("good.json")], {
    format: "github",
  });
  expect(code).toBe(2);
  const lines = output.trimEnd().split("\n");
  expect(lines).toHaveLength(7);
  expect(lines.slice(2)).toEqual([
    '::error file=bad%2C1.json,line=4,col=26::invalid_color: "colors.primary" must be a color in the form #rgb or #rrggbb, not "r,e:d%25".',
    "::error file=none.json::unreadable_file: The file cannot be read: it does not exist.",
    '::warning file=good.json,line=16,col=3::unknown_property: "sections" is not a known property.',
    expect.stringMatching(/^::notice file=good\.json,line=17,col=3::undocumented_property: /),
    "3 files checked: 4 errors, 1 warning, 1 notice.",
  ]);
});

test("json: writes one document with all reports", async () => {
  const { code, output } = await check([at("good.json"), "-"], { format: "json" }, "{}");
  expect(code).toBe(1);
  expect(JSON.parse(output)).toEqual({
    files: [
      {
        file: "good.json",
        valid: true,
        errors: [],
        warnings: [
          {
            code: "unknown_property",
            pointer: "/sections",
            message: '"sections" is not a known property.',
            line: 16,
            column: 3,
          },
        ],
        notices: [expect.objectContaining({ code: "undocumented_property", pointer: "/$schema" })],
      },
      expect.objectContaining({ file: "<stdin>", valid: false }),
    ],
  });
});
