import { randomUUID } from "node:crypto";
import { SCOPES, type Scope } from "../../../src/domain/accounts/caller.js";
import type { Environment } from "../../../src/domain/accounts/environment.js";
import type { Identity } from "../../../src/domain/authentication/identity.js";
import { createSession } from "../embed/sessions.js";
import type { GraphqlFixture } from "../graphql/graphql-fixture.js";
import { createUserGroup } from "../graphql/user-group-operations.js";
import { callRest } from "../rest/rest-client.js";
import type { TestService } from "../service/test-service.js";

/** The kinds of caller that a request can have, by the identity that they get: a new identity needs one. */
const KINDS = {
  caller: ["an API key", "a key in the console", "a person in the console"],
  frontEnd: ["a user group token", "an embed session"],
  none: ["no credentials"],
} as const satisfies Record<Identity["kind"] | "none", readonly string[]>;

/** A table with a row for each is a record of them, so that none can be forgotten. */
export type CallerKind = (typeof KINDS)[keyof typeof KINDS][number];
export const CALLER_KINDS: readonly CallerKind[] = Object.values(KINDS).flat();

/** What credentials give access to: the data of a scope, or of a user group, or nothing. */
export type Credential = "none" | "token" | Scope;
const ACCESS: Readonly<Record<keyof typeof KINDS, readonly Credential[]>> = {
  caller: SCOPES,
  frontEnd: ["token"],
  none: ["none"],
};

/** A kind of caller, with each access that it can have. */
export interface ScopedCaller {
  readonly kind: CallerKind;
  readonly credential: Credential;
}
const columnsOf = (identity: keyof typeof KINDS): ScopedCaller[] =>
  KINDS[identity].flatMap((kind) => ACCESS[identity].map((credential) => ({ kind, credential })));
export const SCOPED_CALLERS: readonly ScopedCaller[] = [
  ...columnsOf("none"),
  ...columnsOf("frontEnd"),
  ...columnsOf("caller"),
];

/** What the credentials of every kind are created from. */
export interface Principal {
  readonly service: TestService;
  readonly accountName: string;
  readonly environment: Environment;
  /** Of the key and the person. */
  readonly scope: Scope;
  /** An API key. */
  readonly key: string;
  /** The ID of a person. */
  readonly person: string;
  /** A user group token. */
  readonly token: string;
  /** An API key that creates embed sessions. */
  readonly embedKey: string;
}

/** Creates an API key, a user group and the ID of a person. */
export async function createPrincipal(graphql: GraphqlFixture, scope: Scope = "admin"): Promise<Principal> {
  const { account, service } = graphql;
  const { secret: key } = await account.createKey({ scope });
  const { secret: embedKey } = await account.createKey();
  const person = randomUUID();
  const { token } = await createUserGroup(graphql, person, {}, embedKey);
  const { name: accountName } = account;
  return { service, accountName, environment: "Customer", scope, key, person, token, embedKey };
}

export type CredentialHeaders = Readonly<Record<string, string>>;

/** Creates credentials, each time new ones of the same principal where the kind has several. @returns their headers */
export const CREDENTIALS_OF: Readonly<
  Record<CallerKind, (principal: Principal) => Promise<CredentialHeaders>>
> = {
  "an API key": async ({ key }) => ({ authorization: `Token ${key}` }),
  "a key in the console": async ({ service, environment, key }) => {
    const console = { "x-console": environment };
    const { headers } = await callRest(
      `${service.url}/console/session`,
      "POST",
      undefined,
      { api_key: key },
      console,
    );
    return { ...console, cookie: String(headers["set-cookie"]).split(";", 1)[0] ?? "" };
  },
  "a person in the console": async ({ service, accountName, environment, scope, person: id }) => {
    const { consoleSessions } = service.services;
    const person = {
      ...(await consoleSessions.begin()),
      issuer: "https://id.example",
      id,
      name: `Name of ${id}`,
      account: accountName,
      roles: [{ account: accountName, scope }],
      rolesReadAt: Date.now(),
    };
    const cookie = `user_groups_session=${await consoleSessions.encrypt({ keys: {}, person })}`;
    return { "x-console": environment, cookie };
  },
  "a user group token": async ({ token }) => ({ authorization: `Bearer ${token}` }),
  "an embed session": async ({ service, embedKey, token }) => {
    const session = await createSession(service, embedKey, { current_token: token });
    return { authorization: `Bearer ${session.token}` };
  },
  "no credentials": async () => ({}),
};
