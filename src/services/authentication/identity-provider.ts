import * as openid from "openid-client";
import { z } from "zod";
import { identifyPerson, type Role, type RoleRule } from "../../domain/authentication/role.js";
import { toAddressBlock } from "../../domain/requests/address-block.js";
import { DomainError } from "../../domain/shared/errors.js";
import { Slots } from "./slots.js";

export interface IdentityProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly roles: readonly RoleRule[];
  /** Scopes, separated by a space. */
  readonly scope: string;
  /** Whether e-mail addresses give roles if the provider does not say whether they are verified. */
  readonly trustsEmail: boolean;
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
  readonly issuer: string;
  /** The subject (`sub`). */
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly refreshToken?: string | undefined;
}

/** For each request to the provider; a sign-in makes up to four. */
const TIMEOUT_S = 4;
const MAX_CALLS = 20;
/** For each address block that signs in, and each person who is signed in. */
const MAX_CALLS_PER_NAME = 5;
const RETRY_AFTER_S = 5;
/** Age at which the provider's metadata is read again. */
const METADATA_MAX_AGE_MS = 3_600_000;
/** Errors that concern one person or browser. All others mean that nobody can sign in. */
const REFUSAL =
  /^(?:invalid_(?:grant|request)|access_denied|\w+_required|OAUTH_(?:INVALID_RESPONSE|J(?:WT|SON)_\w+_FAILED))$/;

/**
 * Signs people in with OpenID Connect: authorization code flow with PKCE, state and nonce (decision 56). Each method throws DomainError
 * `unavailable` if the provider cannot be used.
 */
export class IdentityProvider {
  /** Calls of browsers that sign in. */
  readonly #signIns = new Slots(MAX_CALLS, MAX_CALLS_PER_NAME);
  /** Calls of people who are signed in, so that sign-ins never delay them. */
  readonly #sessions = new Slots(MAX_CALLS, MAX_CALLS_PER_NAME);
  /** Kept until it was read again: an error of the provider, which anyone may cause, must not stop sign-ins. */
  #metadata: { readonly provider: openid.Configuration; readonly readAt: number } | undefined;
  #reading: Promise<openid.Configuration> | undefined;

  constructor(private readonly options: IdentityProviderOptions) {}

  /** Where people sign in, as the console names it. */
  get host(): string {
    return new URL(this.options.issuer).host;
  }

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
    const url = openid.buildAuthorizationUrl(await this.#provider(), parameters);
    return { url, pending: { redirectUri, state, nonce, verifier } };
  }

  /**
   * Ends a sign-in.
   * @param address of the browser
   * @param query of the redirect URI, as sent by the browser
   * @throws DomainError `unauthenticated` if it does not belong to the sign-in or the provider refuses
   */
  async finish(address: string, pending: PendingSignIn, query: URLSearchParams): Promise<IdentifiedPerson> {
    requireCode(pending, query);
    return this.#call(this.#signIns, toAddressBlock(address), async (provider) => {
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
    return this.#call(this.#sessions, id, async (provider) => {
      const tokens = await openid.refreshTokenGrant(provider, refreshToken);
      // The ID token of the sign-in may have denied the address, and UserInfo says nothing: the provider must send another one.
      if (this.options.trustsEmail && !tokens.claims()) throw refused(new Error("no ID token"));
      return { refreshToken, ...(await this.#identify(provider, tokens, id)) };
    });
  }

  /**
   * Revokes the refresh token.
   * @returns the URL that ends the session at the provider and then opens `returnUrl`; null if the provider has none
   */
  async signOut(id: string, refreshToken: string | undefined, returnUrl: string): Promise<string | null> {
    return this.#call(this.#sessions, id, async (provider) => {
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
    const sources = [idToken ?? {}, userInfo || {}];
    const person = identifyPerson(id, sources, this.options);
    const { refresh_token: refreshToken } = tokens;
    return {
      issuer: this.options.issuer,
      id,
      ...person,
      ...(refreshToken !== undefined && { refreshToken }),
    };
  }

  async #call<Result>(
    slots: Slots,
    name: string,
    call: (provider: openid.Configuration) => Promise<Result>,
  ): Promise<Result> {
    return slots.run(name, async () => {
      const provider = await this.#provider();
      try {
        return await call(provider);
      } catch (error) {
        const failure = toDomainError(error);
        if (failure.code === "unavailable") this.#readAgain();
        throw failure;
      }
    });
  }

  async #provider(): Promise<openid.Configuration> {
    if (!this.#metadata) return this.#read();
    const { provider, readAt } = this.#metadata;
    if (Date.now() - readAt > METADATA_MAX_AGE_MS) this.#readAgain();
    return provider;
  }

  /** Reads the provider's metadata in the background, also because its keys or addresses may have changed. */
  #readAgain(): void {
    // The former metadata stays if it cannot be read.
    this.#read().catch(() => undefined);
  }

  async #read(): Promise<openid.Configuration> {
    this.#reading ??= this.#discover().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
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
    const insecure = url.protocol === "http:" ? [openid.allowInsecureRequests] : [];
    // Signatures are checked, with the provider's public keys: HS256 and `none` are refused.
    const execute = [openid.enableNonRepudiationChecks, ...insecure];
    const timeout = TIMEOUT_S;
    try {
      const provider = await openid.discovery(url, clientId, undefined, authenticate, { timeout, execute });
      this.#metadata = { provider, readAt: Date.now() };
      return provider;
    } catch (error) {
      throw unavailable(error);
    }
  }
}

/** Checks the parameters that any browser may send, before they cost anything. @throws DomainError `unauthenticated` */
function requireCode({ state }: PendingSignIn, query: URLSearchParams): void {
  const [sent, ...others] = query.getAll("state");
  if (sent !== state || others.length > 0) throw refused(new Error("another state"));
  const error = query.get("error");
  if (error !== null) throw refused(new Error(`${error} ${query.get("error_description") ?? ""}`));
  if (!query.get("code")) throw refused(new Error("no code"));
}

function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (error instanceof openid.ResponseBodyError) {
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
