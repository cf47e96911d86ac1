import type { Data, GraphqlFixture } from "../graphql/graphql-fixture.js";

/** The tests' selection of a payload. */
const PAYLOAD = `
  siteConfig { id site revision isPublic publicPath text document updatedAt report { isValid } }
  report { isValid errors { code pointer line column } warnings { code pointer } }
`;

/** A valid document without warnings. */
export const goodSite = {
  name: "Docs",
  favicon: "/f.png",
  colors: { primary: "#0a7" },
  navigation: [{ group: "A", pages: ["a", "b"] }],
};

/** Runs a mutation of site configurations; `text` or `document` is the source of `put`. @returns its payload */
export async function changeSite(
  { mutate }: GraphqlFixture,
  mutation: "put" | "patch" | "restore",
  { text, document, ...rest }: Readonly<Record<string, unknown>>,
  key?: string,
): Promise<Data> {
  const input = mutation === "put" ? { ...rest, source: { text, document } } : rest;
  return mutate(`${mutation}SiteConfig`, input, PAYLOAD, key);
}
