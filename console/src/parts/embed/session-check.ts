import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Client, createFrontEndClient } from "../../api/client.js";
import { toFailure } from "../../api/failure.js";
import {
  GroupNameDocument,
  SessionViewerDocument,
  type SessionViewerQuery,
} from "../../api/generated/operations.js";
import { readJson, send } from "../../api/http.js";
import { useSession } from "../../session/session.js";
import { type QueryState, stateOf } from "../../session/use-query.js";
import { isObject } from "../is-object.js";

/** Relative, because the service may be served below a path prefix of a proxy. */
const KEY_SET = "../.well-known/jwks.json";
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

interface Decoded {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Whether the service accepts an embed session, and why not. */
export interface SessionCheck {
  readonly isAccepted: boolean;
  readonly verdict: string;
  /** Undefined if the text is no JWT. */
  readonly decoded?: Decoded;
  /** The group as a page reads it with the session. */
  readonly userGroup?: UserGroup;
  readonly variables?: unknown;
}

type UserGroup = NonNullable<NonNullable<SessionViewerQuery["viewer"]>["userGroup"]>;

/**
 * Decodes an embed session, verifies it, and explains a refusal.
 * @param client the console's client, which finds out whether the group exists
 * @param audience the `aud` of the sessions of the console's account and environment
 * @throws Failure if the service cannot be asked
 */
async function checkSession(token: string, client: Client, audience: string): Promise<SessionCheck> {
  const refuse = (verdict: string) => ({ isAccepted: false, verdict, ...(decoded && { decoded }) });
  const decoded = decode(token);
  if (!decoded) return refuse(mistakeOf(token));
  const { header, claims } = decoded;
  if (header["typ"] !== "embed+jwt" || header["alg"] !== "ES256" || claims["iss"] !== "user-groups")
    return refuse(
      "This JWT is no embed session: it needs the type embed+jwt, the algorithm ES256 and the issuer user-groups.",
    );
  // Checked here first: each refusal by the service counts as a failed sign-in of this address.
  const { keys } = await readJson<{ readonly keys: readonly JsonWebKey[] }>(await send(KEY_SET, {}));
  const key = keys.find((each) => "kid" in each && each.kid === header["kid"]);
  if (!key)
    return refuse(
      `Wrong key: this service does not publish the key ${String(header["kid"])}. The session is of another installation, or its signing key was deleted.`,
    );
  if (!(await isSignedBy(key, token)))
    return refuse("Wrong signature: the session was changed, or signed with another key of the same ID.");
  if (Number(claims["exp"]) * 1000 <= Date.now())
    return refuse(
      `Expired at ${new Date(Number(claims["exp"]) * 1000).toLocaleString()}. A page asks your server for another session before.`,
    );
  const audienceHint =
    claims["aud"] === audience
      ? ""
      : ` It is for another account or environment: ${String(claims["aud"])}. You are signed in to ${audience}.`;
  try {
    const { viewer } = await createFrontEndClient(token).call(SessionViewerDocument, {});
    if (!viewer?.userGroup) return refuse("The service found no group for this session.");
    const verdict = `Accepted by the service.${audienceHint}`;
    return {
      isAccepted: true,
      verdict,
      decoded,
      userGroup: viewer.userGroup,
      variables: viewer.embedSession?.variables,
    };
  } catch (error) {
    if (toFailure(error).code !== "UNAUTHENTICATED") throw error;
  }
  if (audienceHint) return refuse(`Refused by the service.${audienceHint}`);
  const { userGroup } = await client.call(GroupNameDocument, { by: { teamId: Number(claims["sub"]) } });
  if (!userGroup)
    return refuse(`Refused: the group with the internal ID ${String(claims["sub"])} was deleted.`);
  const keyId = claims["api_key_id"];
  const revocation =
    keyId === undefined
      ? ""
      : `, or the API key ${String(keyId)}, which created it, was revoked or has expired`;
  return refuse(
    `Refused: since the session was created, the token of ${userGroup.name} was rotated${revocation}.`,
  );
}

function mistakeOf(text: string): string {
  if (text.startsWith("ugt_"))
    return "This is a user group token, not an embed session. Search the groups for it.";
  if (text.startsWith("ugk_"))
    return "This is an API key, not an embed session. It belongs on your server only.";
  return "This is no JWT: it needs three parts in base64url, separated by dots.";
}

function decode(token: string): Decoded | undefined {
  const [header, claims, signature] = token.split(".");
  if (!header || !claims || signature === undefined) return undefined;
  try {
    const [first, second]: unknown[] = [header, claims].map((part) =>
      JSON.parse(new TextDecoder().decode(bytesOf(part))),
    );
    return isObject(first) && isObject(second) ? { header: first, claims: second } : undefined;
  } catch {
    return undefined;
  }
}

/** Without HTTPS, browsers on other machines have no Web Crypto: the service decides then. */
async function isSignedBy(jwk: JsonWebKey, token: string): Promise<boolean> {
  if (!crypto.subtle) return true;
  const [, content = "", signature = ""] = /^(.*)\.([\w-]*)$/.exec(token) ?? [];
  const key = await crypto.subtle.importKey("jwk", jwk, ALGORITHM, false, ["verify"]);
  return crypto.subtle.verify(ALGORITHM, key, bytesOf(signature), new TextEncoder().encode(content));
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/**
 * Checks an embed session and reads its group.
 * @param token empty for none
 * @param version another version reads again
 */
export function useSessionCheck(token: string, version = 0): QueryState<SessionCheck> {
  const { client, viewer, environment } = useSession();
  const result = useQuery({
    queryKey: ["embed session", token, version],
    queryFn: () => checkSession(token, client, `${viewer.accountName}/${environment}`),
    placeholderData: keepPreviousData,
    enabled: token !== "",
    refetchOnWindowFocus: false,
  });
  const state = stateOf(result);
  return token === "" ? { ...state, data: null } : state;
}
