import { randomUUID } from "node:crypto";
import { SCOPES, type Scope } from "../../../src/domain/accounts/caller.js";
import { ENVIRONMENTS, type Environment } from "../../../src/domain/accounts/environment.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import { toNodeId } from "../../../src/graphql/shared/node.js";
import type { Data, GraphqlFixture } from "../graphql/graphql-fixture.js";
import type { TestAccount } from "../service/test-service.js";
import { goodSite } from "../site-configs/store.js";
import { URL_OF } from "../webhooks/operations.js";
import { CREDENTIALS_OF, type CredentialHeaders, SCOPED_CALLERS, type ScopedCaller } from "./caller-kinds.js";

/** Identifiers of the tenant's objects. */
export interface AccessIds {
  readonly userGroup: string;
  readonly teamId: number;
  readonly providedId: string;
  readonly token: string;
  readonly dataSource: string;
  readonly dataSourceId: number;
  readonly sourceProvidedId: string;
  readonly apiKey: string;
  readonly site: string;
  readonly siteConfig: string;
  readonly siteConfigRevision: string;
  readonly webhookEndpoint: string;
  readonly webhookDelivery: string;
  readonly auditEntry: string;
  readonly sessionTemplate: string;
  /** The name of the session template, which has no capital letters. */
  readonly templateName: string;
  readonly bulkChange: string;
  /** The ID of an undo that does not exist yet. */
  readonly undo: string;
  /** Identifiers for new objects. */
  readonly newId: string;
  /** The group as GraphQL text of the argument `by`, in one of several ways. */
  readonly groupBy: string;
  /** The data source, likewise. */
  readonly sourceBy: string;
}

type GroupIds = Pick<AccessIds, "userGroup" | "teamId" | "providedId" | "token">;
type SourceIds = Pick<AccessIds, "dataSource" | "dataSourceId" | "sourceProvidedId">;

/** Every way to identify a group. */
export function groupWays({ userGroup, teamId, providedId, token }: GroupIds): readonly string[] {
  const texts = [
    `id: ${q(userGroup)}`,
    `teamId: ${teamId}`,
    `providedId: ${q(providedId)}`,
    `token: ${q(token)}`,
  ];
  return texts.map((text) => `{ ${text} }`);
}

/** Every way to identify a data source. */
export function sourceWays({ dataSource, dataSourceId, sourceProvidedId }: SourceIds): readonly string[] {
  const texts = [
    `id: ${q(dataSource)}`,
    `dataSourceId: ${dataSourceId}`,
    `providedId: ${q(sourceProvidedId)}`,
  ];
  return texts.map((text) => `{ ${text} }`);
}

/** The same objects in every way to identify them. */
export function inEveryWay(ids: AccessIds): readonly AccessIds[] {
  const groups = groupWays(ids).map((groupBy) => ({ ...ids, groupBy }));
  return [...groups, ...sourceWays(ids).map((sourceBy) => ({ ...ids, sourceBy }))];
}

/** One environment of an account, with one object of each kind and credentials of each kind. */
export interface AccessTenant {
  readonly accountId: number;
  readonly environment: Environment;
  /** Unique text contained in the names of all its objects. */
  readonly mark: string;
  headersOf(caller: ScopedCaller): CredentialHeaders;
  readonly ids: AccessIds;
  /** Taken identifiers, for calls that create. */
  newIdOf(row: string): string;
  /** Creates further objects to change or delete. @param row the call they are for; webhook endpoints are limited per environment */
  fresh(row: string): Promise<AccessIds>;
}

const q = (value: string) => JSON.stringify(value);

/** Counter that makes every ID unique. */
let count = 0;

/** Creates the objects and keys of both environments of two accounts. @param rows the calls that create something */
export async function createAccessTenants(
  fixture: GraphqlFixture,
  rows: readonly string[],
): Promise<AccessTenant[]> {
  const tenants: AccessTenant[] = [];
  for (const name of ["first", "second"]) {
    const account = await fixture.service.createAccount();
    for (const environment of ENVIRONMENTS) {
      tenants.push(await createTenant(fixture, account, environment, `-${name}-${environment}-`, rows));
    }
  }
  return tenants;
}

async function createTenant(
  { run, service }: GraphqlFixture,
  account: TestAccount,
  environment: Environment,
  mark: string,
  rows: readonly string[],
): Promise<AccessTenant> {
  const keys = new Map<Scope, string>();
  for (const scope of SCOPES) keys.set(scope, (await account.createKey({ environment, scope })).secret);
  const keyOf = (scope: Scope) => keys.get(scope) ?? "";
  // The name of a site has no other characters.
  const newIdOf = (row: string) => `${row.replaceAll(/\W+/g, "-")}${mark}`;
  const runAsAdmin = (query: string) => run(query, {}, keyOf("admin"));
  // Create the endpoint first: only then do later changes create deliveries.
  const webhookEndpoint = await createEndpoint(runAsAdmin, nextId(mark));
  const objects = await createObjects(runAsAdmin, nextId(mark));
  await runAsAdmin(`mutation {
    setUserGroupMapping(input: { by: ${objects.groupBy}, schemaId: "own", dataSource: ${q(objects.sourceProvidedId)} }) { userErrors { code } }
  }`);
  const { webhookDeliveries, auditLog } = await runAsAdmin(
    "{ webhookDeliveries(first: 1) { nodes { id } } auditLog(first: 1) { nodes { id } } }",
  );
  const ids = {
    ...objects,
    webhookEndpoint,
    webhookDelivery: webhookDeliveries.nodes[0].id,
    auditEntry: auditLog.nodes[0].id,
    ...(await createTemplate(runAsAdmin, nextId(mark))),
  };
  for (const row of rows) {
    await createObjects(runAsAdmin, newIdOf(row));
    if (row.startsWith("createSessionTemplate ")) await createTemplate(runAsAdmin, newIdOf(row));
  }
  const headers = new Map<string, CredentialHeaders>();
  for (const { kind, credential } of SCOPED_CALLERS) {
    const scope = SCOPES.find((each) => each === credential) ?? "read";
    const created = await CREDENTIALS_OF[kind]({
      ...{ service, accountName: account.name, environment, scope, person: `person${mark}` },
      ...{ key: keyOf(scope), token: ids.token, embedKey: keyOf("embed") },
    });
    headers.set(`${kind} ${credential}`, created);
  }
  return {
    accountId: account.accountId,
    environment,
    mark,
    headersOf: ({ kind, credential }) => headers.get(`${kind} ${credential}`) ?? {},
    ids,
    newIdOf,
    fresh: async (row) => ({
      ...ids,
      ...(await createObjects(runAsAdmin, nextId(mark))),
      ...(row === "deleteWebhookEndpoint"
        ? { webhookEndpoint: await createEndpoint(runAsAdmin, nextId(mark)) }
        : {}),
      ...(row === "deleteSessionTemplate" ? await createTemplate(runAsAdmin, nextId(mark)) : {}),
    }),
  };
}

type Run = (query: string) => Promise<Data>;

function nextId(mark: string): string {
  count += 1;
  return `${count}${mark}`;
}

async function createEndpoint(run: Run, id: string): Promise<string> {
  const { createWebhookEndpoint } = await run(`mutation {
    createWebhookEndpoint(input: { name: ${JSON.stringify(id)}, url: "${URL_OF("own")}" }) {
      webhookEndpoint { id }
    }
  }`);
  return createWebhookEndpoint.webhookEndpoint.id;
}

/** Creates a session template. @param id becomes part of its secret, which the other environment must not have */
async function createTemplate(run: Run, id: string) {
  const { createSessionTemplate } = await run(`mutation {
    createSessionTemplate(input: {
      name: ${q(id.toLowerCase())}, description: ${q(id)}, algorithm: HS256, secret: ${q(`${id} of a dashboard tool`)},
      claims: { group: "{{ userGroup.providedId }}" }
    }) { sessionTemplate { id name } }
  }`);
  const { id: sessionTemplate, name: templateName } = createSessionTemplate.sessionTemplate;
  return { sessionTemplate, templateName };
}

/** Creates one object of each kind with a caller-chosen ID, and an API key. */
async function createObjects(run: Run, id: string) {
  const text = JSON.stringify(id);
  const document = JSON.stringify(JSON.stringify(goodSite));
  const bulkChange = randomUUID();
  const { createDataSource, createUserGroup, putSiteConfig, createApiKey } = await run(`mutation {
    createDataSource(input: { providedId: ${text}, name: ${text} }) { dataSource { id dataSourceId } }
    createUserGroup(input: { providedId: ${text}, name: ${text} }) { userGroup { id teamId token } }
    updateUserGroup(input: { by: { providedId: ${text} }, properties: {} }) { userErrors { code } }
    updateUserGroups(input: { userGroups: [{ providedId: ${text} }], propertiesPatch: { a: 1 }, bulkChangeId: ${q(bulkChange)} }) {
      userErrors { code }
    }
    putSiteConfig(input: { site: ${text}, source: { text: ${document} } }) {
      siteConfig { id revisions(first: 1) { nodes { id } } }
    }
    createApiKey(input: { name: ${text}, scope: READ }) { apiKey { id } }
  }`);
  const { dataSource } = createDataSource;
  const { userGroup } = createUserGroup;
  const { siteConfig } = putSiteConfig;
  return withWays({
    userGroup: userGroup.id,
    teamId: userGroup.teamId,
    providedId: id,
    token: userGroup.token,
    dataSource: dataSource.id,
    dataSourceId: dataSource.dataSourceId,
    sourceProvidedId: id,
    apiKey: createApiKey.apiKey.id,
    site: id,
    siteConfig: siteConfig.id,
    siteConfigRevision: siteConfig.revisions.nodes[0].id,
    bulkChange,
    undo: randomUUID(),
    newId: `${id}new`,
  });
}

function withWays<Ids extends GroupIds & SourceIds>(ids: Ids) {
  return { ...ids, groupBy: groupWays(ids)[0] ?? "", sourceBy: sourceWays(ids)[0] ?? "" };
}

/** Well-formed IDs that no object has. */
export function unknownIds(accountId: number): AccessIds {
  count += 1;
  const id = `unknown${count}`;
  const number = 2_000_000_000 + count;
  return withWays({
    userGroup: toNodeId("UserGroup", number),
    teamId: number,
    providedId: id,
    token: issueUserGroupToken(accountId),
    dataSource: toNodeId("DataSource", number),
    dataSourceId: number,
    sourceProvidedId: id,
    apiKey: toNodeId("ApiKey", number),
    site: id,
    siteConfig: toNodeId("SiteConfig", number),
    siteConfigRevision: toNodeId("SiteConfigRevision", number, 1),
    webhookEndpoint: toNodeId("WebhookEndpoint", number),
    webhookDelivery: toNodeId("WebhookDelivery", number),
    auditEntry: toNodeId("AuditEntry", number),
    sessionTemplate: toNodeId("SessionTemplate", number),
    templateName: id,
    bulkChange: randomUUID(),
    undo: randomUUID(),
    newId: `${id}new`,
  });
}
