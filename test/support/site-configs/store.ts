import type { Data, GraphqlFixture } from "../graphql/graphql-fixture.js";

/** The tests' selection of a payload. */
const PAYLOAD = `{
  siteConfig { id site revision public publicPath text document updatedAt report { valid } }
  report { valid errors { code pointer line column } warnings { code pointer } }
  userErrors { code message field }
}`;

/** A valid document without warnings. */
export const goodSite = {
  name: "Docs",
  favicon: "/f.png",
  colors: { primary: "#0a7" },
  navigation: [{ group: "A", pages: ["a", "b"] }],
};

/** Runs a mutation of site configurations. @returns its payload */
export async function changeSite(
  { run }: GraphqlFixture,
  mutation: "put" | "patch" | "restore",
  input: Readonly<Record<string, unknown>>,
  key?: string,
): Promise<Data> {
  const name = `${mutation}SiteConfig`;
  const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}SiteConfigInput`;
  const data = await run(`mutation ($input: ${type}!) { ${name}(input: $input) ${PAYLOAD} }`, { input }, key);
  return data[name];
}
