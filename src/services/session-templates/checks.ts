import type { Tenant } from "../../domain/accounts/caller.js";
import { missingProperties, renderClaims } from "../../domain/session-templates/rendering.js";
import { DomainError, domainErrorOr } from "../../domain/shared/errors.js";
import type { JsonObject } from "../../domain/shared/json.js";
import { USER_GROUP_ORDER } from "../../domain/user-groups/list.js";
import { MAX_SEARCHED_BYTES } from "../../domain/user-groups/properties.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Listing } from "../user-groups/listing.js";
import type { UserGroupReader } from "../user-groups/reader.js";

/** Groups that a check reads at most, in pages. */
const MAX_GROUPS = 500;
const PAGE_SIZE = 50;

/** The session ID in claims that are only shown. */
const NO_SESSION = "preview";

/** How many groups of an environment a template would refuse. */
export interface TemplateCheck {
  /** Groups that were checked: all of the environment, or the first 500. */
  readonly checked: number;
  readonly refused: number;
}

/** The account as templates name it. */
type NamedTenant = Tenant & { readonly accountName: string };

/** Tells what sessions of templates would contain, without creating any. */
export class TemplateChecks {
  constructor(
    private readonly listing: Listing,
    private readonly reader: UserGroupReader,
  ) {}

  /** Renders claims for a group. @returns the error with every reference that has no usable value */
  async render(
    tenant: NamedTenant,
    userGroup: UserGroup,
    claims: JsonObject,
    variables: JsonObject,
  ): Promise<JsonObject | DomainError> {
    const entries = await this.reader.mappingOf(tenant, userGroup.id);
    const mapping = new Map(entries.map(({ schemaId, dataSource }) => [schemaId, dataSource.providedId]));
    const { accountName, environment } = tenant;
    const values = { userGroup, mapping, variables, accountName, environment, sessionId: NO_SESSION };
    return domainErrorOr(() => renderClaims(claims, values));
  }

  /** Counts the groups whose sessions the claims would refuse. */
  async count(tenant: NamedTenant, claims: JsonObject, variables: JsonObject): Promise<TemplateCheck> {
    let [checked, refused] = [0, 0];
    for await (const page of this.#pages(tenant)) {
      const results = await Promise.all(page.map((group) => this.render(tenant, group, claims, variables)));
      checked += results.length;
      refused += results.filter((result) => result instanceof DomainError).length;
    }
    return { checked, refused };
  }

  /** Returns a warning for each property that the claims refer to and no checked group has. */
  async warnings(tenant: Tenant, claims: JsonObject): Promise<string[]> {
    const groups: UserGroup["properties"][] = [];
    for await (const page of this.#pages(tenant)) groups.push(...page.map(({ properties }) => properties));
    return missingProperties(claims, groups).map(
      (path) => `No checked user group has the property \`${path}\` (checked: ${groups.length}).`,
    );
  }

  async *#pages(tenant: Tenant): AsyncGenerator<readonly UserGroup[]> {
    let [groups, bytes] = [0, 0];
    let after = null;
    for (let hasMore = true; hasMore && groups < MAX_GROUPS && bytes < MAX_SEARCHED_BYTES; ) {
      const page = { size: PAGE_SIZE, from: "start", after, before: null } as const;
      const found = await this.listing.page(tenant, {}, USER_GROUP_ORDER.default, page);
      yield found.items;
      groups += found.items.length;
      bytes += found.items.reduce((sum, { properties }) => sum + (properties?.length ?? 0), 0);
      hasMore = found.hasMore;
      const last = found.items.at(-1);
      after = last ? { value: last.id, id: last.id } : null;
    }
  }
}
