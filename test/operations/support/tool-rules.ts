import { type JWTVerifyGetKey, jwtVerify } from "jose";
import jsonwebtoken from "jsonwebtoken";
import type { Data } from "../../support/graphql/graphql-fixture.js";

// How tools check a token and what they restrict by it, each as read in the tool's repository in November 2026. Cube's own code runs instead
// (`cube-gateway.ts`). A function throws where the tool refuses.

const bytesOf = (secret: string) => new TextEncoder().encode(secret);

function check(isMet: boolean, message: string): void {
  if (!isMet) throw new Error(message);
}

/** metabase/metabase: `src/metabase/embedding/jwt.clj` (leeway, characters of the secret), `src/metabase/embedding/api/common.clj`. */
export async function readMetabase(token: string, secret: string) {
  const { payload } = await jwtVerify<Data>(token, bytesOf(secret), { clockTolerance: 60 });
  const { resource, params } = payload;
  check(resource?.dashboard > 0 && Boolean(params), "Token is missing value for keypath");
  check((params.tenant ?? "") !== "", "You must specify a value for tenant in the JWT.");
  for (const name of Object.keys(params)) check(name === "tenant", `Unknown parameter ${name}.`);
  // An empty list is no filter.
  return { dashboard: resource.dashboard, filter: params.tenant.length > 0 ? params.tenant : null };
}

/** apache/superset: `superset/security/manager.py` (`get_guest_user_from_request`, `get_guest_rls_filters`); PyJWT refuses a future `iat`. */
export async function readSuperset(token: string, secret: string) {
  const options = { algorithms: ["HS256"], audience: "superset" };
  const { payload } = await jwtVerify<Data>(token, bytesOf(secret), options);
  const { user, resources, rls_rules: rules, type, iat } = payload;
  check(iat <= Date.now() / 1000, "The token is not yet valid (iat)");
  check(Boolean(user && resources && rules), "Guest token does not contain a claim");
  check(type === "guest", "This is not a guest token.");
  const rulesOf = (id: number) => rules.filter((rule: Data) => !rule.dataset || Number(rule.dataset) === id);
  const conditions = [1, 2].flatMap(rulesOf).map(({ clause }) => clause);
  return { dashboard: resources[0].id, conditions };
}

/** lightdash/lightdash: `packages/backend/src/auth/lightdashJwt.ts`, with its library; `packages/common/src/ee/embed/index.ts`. */
export async function readLightdash(token: string, secret: string) {
  const { content, userAttributes, exp }: Data = jsonwebtoken.verify(token, secret);
  check(content?.type === "dashboard" && typeof content.dashboardUuid === "string", "content");
  check(typeof exp === "number", "exp");
  for (const value of Object.values(userAttributes ?? {})) check(typeof value === "string", "userAttributes");
  return { dashboard: content.dashboardUuid, attributes: userAttributes };
}

/** PostgREST/postgrest: `src/PostgREST/Auth/Jwt.hs`: 30 seconds of skew, `aud` if there is one. */
export async function readPostgrest(token: string, secret: string) {
  const options = { algorithms: ["HS256"], clockTolerance: 30 };
  const { payload } = await jwtVerify<Data>(token, bytesOf(secret), options);
  check((payload.aud ?? "postgrest") === "postgrest", "JWT not in audience");
  // Without `role`, the anonymous role, which the page does not set.
  check(payload.role !== undefined, "JWT token required");
  return { role: payload.role, claims: payload };
}

/** Settings of a tool with a key set; without one, the tool does not check it. */
export interface KeySetSettings {
  readonly keys: JWTVerifyGetKey;
  readonly issuer?: string;
  readonly audience?: string;
}

/** hasura/graphql-engine: `server/src-lib/Hasura/Server/Auth/JWT.hs`. @param role the header `x-hasura-role` */
export async function readHasura(token: string, { keys, issuer, audience }: KeySetSettings, role?: string) {
  const { payload } = await jwtVerify<Data>(token, keys);
  // A token without the claim passes.
  check(!issuer || (payload.iss ?? issuer) === issuer, "JWTNotInIssuer");
  check(!audience || (payload.aud ?? audience) === audience, "JWTNotInAudience");
  const { ["https://hasura.io/jwt/claims"]: claims = {} } = payload;
  const { "x-hasura-allowed-roles": allowed, "x-hasura-default-role": standard, ...variables } = claims;
  check(Array.isArray(allowed) && typeof standard === "string", "JWT claim does not contain the roles");
  check(allowed.includes(role ?? standard), "Your requested role is not in allowed roles");
  for (const value of Object.values(variables)) check(typeof value === "string", "invalid x-hasura-* claims");
  return { role: role ?? standard, variables };
}

/** grafana/grafana: `pkg/services/auth/jwt/` (ES256, `expect_claims`, a minute of skew), `pkg/services/authn/clients/jwt.go`. */
export async function readGrafana(token: string, { keys, ...expected }: KeySetSettings, tool?: string) {
  const options = { ...expected, algorithms: ["ES256"], clockTolerance: 60 };
  const { payload } = await jwtVerify<Data>(token, keys, options);
  check(tool === undefined || payload.tool === tool, "tool claim mismatch");
  check(Boolean(payload.sub), "missing mandatory 'sub' claim in JWT");
  // `org_mapping`, with `role_attribute_strict`.
  const mapped = payload.orgs.filter((name: string) => ["acme", "globex"].includes(name));
  check(mapped.length > 0, "could not evaluate any valid roles using IdP provided data");
  return { login: payload.sub, organizations: mapped.map((name: string) => `Organization of ${name}`) };
}
