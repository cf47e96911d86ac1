import { randomBytes } from "node:crypto";
import type { Data, GraphqlFixture } from "../graphql/graphql-fixture.js";
import { callRest } from "../rest/rest-client.js";
import { recordSecret } from "../secrets/run-record.js";

export const PUBLIC_URL = "https://groups.example.com";

/** Returns the secret of a new dashboard tool, which the run must not store or log. */
export function newToolSecret(bytes = 32): string {
  const secret = randomBytes(bytes).toString("hex").slice(0, bytes);
  recordSecret("the secret of a dashboard tool", secret);
  return secret;
}

/** The input of a template with HS256 and a new secret. */
export function withSecret(name: string, fields: object = {}) {
  return { name, algorithm: "HS256", secret: newToolSecret(), claims: {}, ...fields };
}

/** The input of a template that the service's keys sign. */
export function withKeys(name: string, claims: object = {}) {
  return { name, algorithm: "ES256", claims };
}

/** Creates a session over REST. */
export async function createTemplateSession(
  url: string,
  template: string,
  body: object,
  key: string,
  headers = {},
): Promise<Data> {
  return callRest(`${url}/api/embed-session/${template}`, "POST", key, body, headers);
}

/** Returns a function that saves a template and returns its errors, each as `field message`. */
export function saving({ mutate }: Pick<GraphqlFixture, "mutate">, mutation: string, key?: string) {
  return async (input: object): Promise<readonly string[]> => {
    const { userErrors } = await mutate(mutation, input, "sessionTemplate { id }", key);
    return userErrors.map(({ field, message }: Data) => (field ? `${field.join(".")}: ${message}` : message));
  };
}
