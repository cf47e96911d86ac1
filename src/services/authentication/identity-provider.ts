import * as openid from "openid-client";
import { z } from "zod";
import { identifyPerson, type Role, type RoleRule } from "../../domain/authentication/role.js";
import { DomainError } from "../../domain/shared/errors.js";

export interface IdentityProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly roles: readonly RoleRule[];
  /** Scopes, separated by a space. */
  readonly scope: string;
}

/** The part of a sign-in that the browser keeps, encrypted, while the person is at the provider. */
export const pendingSignIn = z.object({
  redirectUri: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
});

type PendingSignIn = Readonly<z.infer<typeof pendingSignIn>>;

/** A person with the roles that the provider has just confirmed. */
export interface IdentifiedPerson {
  /** The subject (`sub`). */
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly refreshToken?: string | undefined;
}

/** For each request to the provider; a sign-in makes up to three. */
const TIMEOUT_S = 4;
const MAX_IN_PROGRESS = 20;
const RETRY_AFTER_S = 5;
/** Errors that concern one person or browser. All others mean that nobody can sign in. */
const REFUSAL =
  /^(?:invalid_grant|access_denied|\w+_required|OAUTH_(?:INVALID_RESPONSE|J(?:WT|SON)_\w+_FAILED))$/;

/**
 * Signs people in with OpenID Connect: authorization code flow with PKCE, state and nonce (decision 56). Each method throws DomainError
 * `unavailable` if the provider cannot be used.
 */
export class IdentityProvider {
  #discovered: Promise<openid.Configuration> | undefined;
  #inProgress = 0;

  constructor(private readonly options: IdentityProviderOptions) {}

  /** Begins a sign-in at the returned URL. @param isSilent whether the provider must not ask the person for anything */
  async start(redirectUri: string, isSilent: boolean): Promise<{ url: URL; pending: PendingSignIn }> {
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const verifier = openid.randomPKCECodeVerifier();
    const parameters = {
      redirect_uri: redirectUri,
      scope: this.options.scope,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...(isSilent && { prompt: "none" }),
    };
    const url = await this.#call(async (provider) => openid.buildAuthorizationUrl(provider, parameters));
    return { url, pending: { redirectUri, state, nonce, verifier } };
  }

  /**
   * Ends a sign-in.
   * @param query of the redirect URI, as sent by the provider
   * @throws DomainError `unauthenticated` if it does not belong to the sign-in or the provider refuses
   */
  async finish(pending: PendingSignIn, query: URLSearchParams): Promise<IdentifiedPerson> {
    return this.#call(async (provider) => {
      const tokens = await openid.authorizationCodeGrant(
        provider,
        new URL(`?${query}`, pending.redirectUri),
        {
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          pkceCodeVerifier: pending.verifier,
        },
      );
      return this.#identify(provider, tokens, tokens.claims()?.sub);
    });
  }

  /** Reads a person's roles again. @throws DomainError `unauthenticated` if the provider refuses */
  async refresh(id: string, refreshToken: string): Promise<IdentifiedPerson> {
    return this.#call(async (provider) => {
      const tokens = await openid.refreshTokenGrant(provider, refreshToken);
      return { refreshToken, ...(await this.#identify(provider, tokens, id)) };
    });
  }

  /**
   * Revokes the refresh token.
   * @returns the URL that ends the session at the provider and then opens `returnUrl`; null if the provider has none
   */
  async signOut(returnUrl: string, refreshToken: string | undefined): Promise<string | null> {
    return this.#call(async (provider) => {
      const { revocation_endpoint, end_session_endpoint } = provider.serverMetadata();
      if (revocation_endpoint !== undefined && refreshToken !== undefined)
        await openid.tokenRevocation(provider, refreshToken);
      if (end_session_endpoint === undefined) return null;
      return openid.buildEndSessionUrl(provider, { post_logout_redirect_uri: returnUrl }).href;
    });
  }

  /** @param id the subject that the provider must confirm */
  async #identify(
    provider: openid.Configuration,
    tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
    id: string | undefined,
  ): Promise<IdentifiedPerson> {
    const idToken = tokens.claims();
    if (id === undefined || (idToken && idToken.sub !== id)) throw refused(new Error("another subject"));
    const hasUserInfo = provider.serverMetadata().userinfo_endpoint !== undefined;
    const userInfo = hasUserInfo && (await openid.fetchUserInfo(provider, tokens.access_token, id));
    const person = identifyPerson(this.options.roles, { ...idToken, ...userInfo, sub: id });
    const { refresh_token: refreshToken } = tokens;
    return { id, ...person, ...(refreshToken !== undefined && { refreshToken }) };
  }

  async #call<Result>(work: (provider: openid.Configuration) => Promise<Result>): Promise<Result> {
    if (this.#inProgress >= MAX_IN_PROGRESS) throw unavailable(new Error("too many sign-ins in progress"));
    this.#inProgress += 1;
    try {
      this.#discovered ??= this.#discover();
      return await work(await this.#discovered);
    } catch (error) {
      const failure = toDomainError(error);
      // The next call reads the provider's metadata again.
      if (failure.code === "unavailable") this.#discovered = undefined;
      throw failure;
    } finally {
      this.#inProgress -= 1;
    }
  }

  async #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.options;
    const url = new URL(issuer);
    const [basic, post] = [openid.ClientSecretBasic(clientSecret), openid.ClientSecretPost(clientSecret)];
    const authenticate: openid.ClientAuth = (server, ...request) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
      (methods.includes("client_secret_basic") ? basic : post)(server, ...request);
    };
    // The settings allow http: for this machine only.
    const execute = url.protocol === "http:" ? [openid.allowInsecureRequests] : [];
    try {
      return await openid.discovery(url, clientId, undefined, authenticate, { timeout: TIMEOUT_S, execute });
    } catch (error) {
      throw unavailable(error);
    }
  }
}

function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (error instanceof openid.ResponseBodyError || error instanceof openid.AuthorizationResponseError) {
    const cause = new Error(`${error.error} ${error.error_description ?? ""}`, { cause: error });
    return REFUSAL.test(error.error) ? refused(cause) : unavailable(cause);
  }
  const isRefusal = error instanceof openid.ClientError && REFUSAL.test(error.code ?? "");
  return isRefusal ? refused(error) : unavailable(error);
}

function refused(cause: unknown): DomainError {
  return new DomainError("unauthenticated", "The identity provider did not confirm the sign-in.", { cause });
}

function unavailable(cause: unknown): DomainError {
  const message = "The identity provider cannot be used at the moment.";
  return new DomainError("unavailable", message, { retryAfter: RETRY_AFTER_S, cause });
}
