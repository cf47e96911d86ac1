import { readdirSync, readFileSync } from "node:fs";
import { CriticalityLevel, diff } from "@graphql-inspector/core";
import { buildSchema } from "graphql";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const root = new URL("../../../", import.meta.url);
const folder = new URL("schema-changes/", root);
const announcementFormat = z.strictObject({
  reason: z.string().trim().min(1),
  changes: z.array(z.string()).min(1),
});

const BASELINE = `type Query { greeting(name: String): String farewell: String }`;
const BROKEN = `type Query { greeting(name: String!): String }`;
const CHANGES = [
  "Type for argument 'name' on field 'Query.greeting' changed from 'String' to 'String!'",
  "Field 'farewell' was removed from object type 'Query'",
];

test("schema-changes announces exactly the breaking changes since the last release", async () => {
  const announced = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => parseAnnouncement(readText(new URL(name, folder))));
  const baseline = readText(new URL("baseline.graphql", folder));
  const schema = readText(new URL("schema.graphql", root));
  expect(await compare(baseline, schema, announced)).toEqual({ unannounced: [], stale: [] });
});

describe("the comparison", () => {
  test("finds breaking changes", async () => {
    const { unannounced, stale } = await compare(BASELINE, BROKEN, []);
    expect({ unannounced: unannounced.toSorted(), stale }).toEqual({
      unannounced: CHANGES.toSorted(),
      stale: [],
    });
  });

  test("accepts an announcement only for the change that it names", async () => {
    const [first = "", second = ""] = CHANGES;
    expect(await compare(BASELINE, BROKEN, CHANGES)).toEqual({ unannounced: [], stale: [] });
    expect(await compare(BASELINE, BROKEN, [first])).toEqual({ unannounced: [second], stale: [] });
  });

  test("ignores changes that break no client", async () => {
    const grown = `type Query { greeting(name: String, title: String): String farewell: String! time: Int }`;
    expect(await compare(BASELINE, grown, [])).toEqual({ unannounced: [], stale: [] });
  });

  test("reports an announcement of a change that was not made", async () => {
    expect(await compare(BASELINE, BASELINE, CHANGES)).toEqual({ unannounced: [], stale: CHANGES });
  });
});

test("requires a reason and changes in an announcement", () => {
  const announcement = { reason: "Nobody calls it.", changes: CHANGES };
  expect(parseAnnouncement(JSON.stringify(announcement))).toEqual(CHANGES);
  for (const invalid of [{ reason: " " }, { reason: undefined }, { changes: [] }, { change: "" }]) {
    expect(() => parseAnnouncement(JSON.stringify({ ...announcement, ...invalid }))).toThrow();
  }
});

async function compare(
  baseline: string,
  schema: string,
  announced: readonly string[],
): Promise<{ unannounced: string[]; stale: string[] }> {
  const changes = await diff(buildSchema(baseline), buildSchema(schema));
  const breaking = changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
  return {
    unannounced: breaking.filter((message) => !announced.includes(message)),
    stale: announced.filter((message) => !breaking.includes(message)),
  };
}

function parseAnnouncement(text: string): readonly string[] {
  return announcementFormat.parse(JSON.parse(text)).changes;
}

function readText(url: URL): string {
  return readFileSync(url, "utf8");
}
