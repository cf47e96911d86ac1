import { callRest, type RestReply } from "../rest/rest-client.js";

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
