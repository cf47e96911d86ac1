import { getIntrospectionQuery } from "graphql";
import { callRest, type RestReply } from "../rest/rest-client.js";

/** The query of common tools. */
export const INTROSPECTION = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

/** Returns the parts of a reply that an error determines. @param figures extensions beside the code */
export function refused(status: number, code: string, figures: object = {}) {
  return { status, body: { errors: [{ extensions: { code, ...figures } }] } };
}

export function times(count: number, write: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => write(index)).join(" ");
}

/** Runs a GraphQL operation over HTTP. */
export async function callGraphql(
  url: string,
  key: string | undefined,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<RestReply> {
  return callRest(`${url}/graphql`, "POST", key, { query, variables });
}

/** Runs an operation. @returns its data */
type Run = (query: string, variables: { readonly input: object }) => Promise<ReturnType<typeof JSON.parse>>;

/** Runs a mutation. @returns its payload: the selected fields, and `userErrors` with code, message and field */
export async function runMutation(run: Run, name: string, input: object, selection = "") {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const fields = `${selection} userErrors { code message field }`;
  return (await run(`mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} } }`, { input }))[name];
}
