import { randomBytes } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from "jose";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { bindingOf } from "../../../src/services/authentication/signing-keys.js";
import { callRest, type RestReply } from "../rest/rest-client.js";
import type { TestService } from "../service/test-service.js";

/** The encryption key of the services in these tests, with which private keys can be read. */
export const ENCRYPTION_KEY = randomBytes(32);

const READ = "{ viewer { embedSession { expiresAt variables } userGroup { name properties } } }";

export interface Session {
  readonly token: string;
  readonly expires_at: string;
}

/** Creates an embed session over REST. @throws Error if that fails */
export async function createSession(service: TestService, key: string, body: object): Promise<Session> {
  const reply = await callRest(`${service.url}/api/embed-session`, "POST", key, body);
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return Object(reply.body);
}

/** Reads a front end's own group. */
export async function readViewer(service: TestService, token: string, query = READ): Promise<RestReply> {
  return callRest(
    `${service.url}/graphql`,
    "POST",
    undefined,
    { query },
    { authorization: `Bearer ${token}` },
  );
}

/** Signs an altered copy of a session with the service's private key. */
export async function resign(
  service: TestService,
  token: string,
  claims: Readonly<Record<string, unknown>>,
  header: object = {},
): Promise<string> {
  const protectedHeader = { ...decodeProtectedHeader(token), alg: "ES256", ...header };
  const key = await privateKeyOf(service, String(decodeProtectedHeader(token).kid));
  return new SignJWT({ ...decodeJwt(token), ...claims }).setProtectedHeader(protectedHeader).sign(key);
}

async function privateKeyOf({ query }: TestService, id: string) {
  const [row] = await query(
    `SELECT private_key_id AS "keyId", private_key_ciphertext AS ciphertext FROM signing_key WHERE id = $1`,
    [id],
  );
  const vault = new TokenVault([ENCRYPTION_KEY]);
  return importJWK(JSON.parse(vault.decrypt(row, bindingOf(null, id))), "ES256");
}

/** Encodes a part of a JWT. */
export function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
