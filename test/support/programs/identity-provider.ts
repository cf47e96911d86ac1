import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Provider } from "oidc-provider";
import type { ConsoleSessions } from "../../../src/services/authentication/console-sessions.js";
import type { IdentityProviderOptions } from "../../../src/services/authentication/identity-provider.js";
import { recordSecret } from "../secrets/run-record.js";

const CLIENT = { id: "user-groups", secret: "client-secret-of-the-tests-for-HS256" };

/** An OpenID Connect provider on this machine, which signs in whoever is named without asking. */
export interface TestIdentityProvider {
  readonly url: string;
  /** Settings of a service that uses it. @param roles as in OIDC_ROLES */
  options(roles: IdentityProviderOptions["roles"]): IdentityProviderOptions;
  /** Claims by subject. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  /** The subject that signs in next. */
  visitor: string;
  isDown: boolean;
  /** How long each reply takes. */
  delayMs: number;
  /** Changes the ID token of each reply of the token endpoint; without a result, the reply has none. */
  changeIdToken: ((token: string) => string | undefined) | undefined;
  /** A key set to publish instead of its own. */
  publishedKeys: object | undefined;
  /** Whether it issues refresh tokens. */
  hasRefreshTokens: boolean;
  /** The requests so far: method and path. */
  readonly requests: string[];
  /** Accepts a service as its client. May be called again, for example with other keys. */
  serve(serviceUrl: string, signing?: Signing): void;
  close(): Promise<void>;
}

/** How ID tokens are signed: by default with RS256 and a key of the package. */
interface Signing {
  readonly algorithm?: string;
  /** Private JWKs. */
  readonly keys?: readonly object[];
}

/** Makes the roles of a session's person, or the whole session, older. @returns the session's cookie */
export async function olderSession(
  sessions: ConsoleSessions,
  token: string | undefined,
  { rolesMs = 0, sessionMs = 0 },
): Promise<string> {
  const { person } = (await sessions.decrypt(token ?? "")) ?? {};
  if (!person) throw new Error("Nobody is signed in.");
  const rolesReadAt = person.rolesReadAt - rolesMs;
  const signedInAt = person.signedInAt - sessionMs;
  return sessions.encrypt({ keys: {}, person: { ...person, rolesReadAt, signedInAt } });
}

export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  let answer = (_request: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(503).end();
  const server = createServer((request, response) => {
    idp.requests.push(`${request.method} ${request.url?.split("?", 1)[0]}`);
    if (idp.isDown) request.socket.destroy();
    else setTimeout(() => answer(request, response), idp.delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The provider has no port.");
  const url = `http://127.0.0.1:${address.port}`;
  const idp: TestIdentityProvider = {
    url,
    options: (roles) => ({
      issuer: url,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      roles,
      scope: "openid email profile",
      trustsEmail: false,
    }),
    people: new Map(),
    visitor: "",
    isDown: false,
    delayMs: 0,
    changeIdToken: undefined,
    publishedKeys: undefined,
    hasRefreshTokens: true,
    requests: [],
    serve(serviceUrl, signing = {}) {
      const provider = createProvider(idp, serviceUrl, signing);
      const callback = provider.callback();
      answer = (request, response) => {
        if (request.url === "/jwks" && idp.publishedKeys) {
          response.setHeader("content-type", "application/jwk-set+json");
          return response.end(JSON.stringify(idp.publishedKeys));
        }
        if (request.url === "/token" && idp.changeIdToken) changeReply(response, idp.changeIdToken);
        if (!request.url?.startsWith("/interaction/")) return callback(request, response);
        void provider.interactionFinished(request, response, { login: { accountId: idp.visitor } });
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return idp;
}

function changeReply(response: ServerResponse, change: (token: string) => string | undefined): void {
  const end = response.end.bind(response);
  response.end = (body: unknown) => {
    const reply = JSON.parse(String(body));
    const changed = reply.id_token === undefined ? reply : { ...reply, id_token: change(reply.id_token) };
    const text = JSON.stringify(changed);
    response.setHeader("content-length", Buffer.byteLength(text));
    return end(text);
  };
}

function createProvider(
  idp: TestIdentityProvider,
  serviceUrl: string,
  { algorithm = "RS256", keys }: Signing,
): Provider {
  recordSecret("the client secret of the provider", Buffer.from(CLIENT.secret));
  const provider = new Provider(idp.url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: ["", "/groups"].map((prefix) => `${serviceUrl}${prefix}/console/sign-in/callback`),
        post_logout_redirect_uris: [`${serviceUrl}/console/`],
        grant_types: ["authorization_code", "refresh_token"],
        id_token_signed_response_alg: algorithm,
      },
    ],
    ...(keys && { jwks: { keys } }),
    enabledJWA: { idTokenSigningAlgValues: ["RS256", "ES256", "EdDSA", "HS256"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    cookies: { keys: ["a key of the tests"] },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => idp.hasRefreshTokens,
    findAccount: (_context: unknown, id: string) => {
      const claims = idp.people.get(id);
      return claims && { accountId: id, claims: () => ({ sub: id, ...claims }) };
    },
    async loadExistingGrant(context: GrantContext) {
      const { client, session, provider } = context.oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  return provider;
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: {
      readonly Grant: new (owner: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    };
  };
}
