import type { ProcessEnvironment } from "../../config/config.js";
import type { Tenant } from "../../domain/accounts/caller.js";
import type { JsonValue } from "../../domain/shared/json.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { MAX_PAGE_SIZE, type Position } from "../../domain/shared/pagination.js";
import { diffJson } from "../../domain/site-configs/document/json-diff.js";
import { sitePath } from "../../domain/site-configs/site-address.js";
import {
  type Editor,
  revisionNotFound,
  type SiteConfig,
  type SiteConfigRevision,
  siteNotFound,
} from "../../domain/site-configs/site-config.js";
import type { SiteConfigOptions } from "../../domain/site-configs/validate-site-config.js";
import { SiteConfigReader } from "../../services/site-configs/reader.js";
import { type ChangeOptions, SiteConfigService } from "../../services/site-configs/service.js";
import { SiteConfigWork } from "../../services/site-configs/work.js";
import { type AccountChoice, withAccount } from "../shared/account.js";
import { type Output, writeOutput } from "../shared/output.js";
import { printable } from "../shared/printable.js";
import { formatTable } from "../shared/table.js";
import { readSiteConfigFile } from "./file.js";
import { type CheckedFile, formatChecks } from "./format.js";

const COLUMNS = ["REVISION", "WRITTEN", "AUTHOR", "BYTES", "NOTE"];

/** Validates in the main thread: a CLI command has no other requests to serve. */
const INLINE_WORK = new SiteConfigWork(null);

/** The site of a command. */
interface SiteChoice extends AccountChoice {
  readonly site: string;
}

/** A change with its author and precondition. */
interface SiteChange extends SiteChoice, ChangeOptions {
  readonly author: string;
}

/** Stores a file, or standard input for the name `-`, as a new revision. @throws OperatorError, also if validation finds errors */
export async function putSiteConfig(
  settings: ProcessEnvironment,
  name: string,
  options: SiteChange & SiteConfigOptions & { readonly isPublic: boolean | null },
  { input, output }: { readonly input: NodeJS.ReadableStream; readonly output: Output },
): Promise<void> {
  const { file, text, failure } = await readSiteConfigFile(name, input);
  if (failure) throw refusal({ file, text, report: failure });
  await withSite(settings, options, async (store) => {
    const { service, site } = store;
    const editor = editorOf(store, options);
    const { siteConfig, report } = await service.put(
      editor,
      site,
      { ...options, source: { text } },
      INLINE_WORK,
    );
    if (!siteConfig) throw refusal({ file, text, report });
    if (report.warnings.length > 0) process.stderr.write(formatChecks([{ file, text, report }], "text"));
    const { revision, isPublic } = siteConfig;
    const publicPath = isPublic
      ? sitePath(site, { accountName: options.account, environment: options.environment })
      : null;
    const address = publicPath === null ? "" : `, public at ${publicPath}`;
    await output.print(
      { site, revision, public_path: publicPath, report },
      `stored revision ${revision} of ${printable(site)}${address}\n`,
    );
  });
}

/** Restores an earlier revision as a new one. @throws OperatorError, also if it is invalid under the current rules */
export async function restoreSiteConfig(
  settings: ProcessEnvironment,
  revision: number,
  options: SiteChange,
  output: Output,
): Promise<void> {
  await withSite(settings, options, async (store) => {
    const { service, site } = store;
    const editor = editorOf(store, options);
    const { siteConfig, report } = await service.restore(editor, site, { ...options, revision }, INLINE_WORK);
    if (!siteConfig) {
      const [text = ""] = await readTexts(store, [revision]);
      throw refusal({ file: `revision ${revision} of ${site}`, text, report });
    }
    await output.print(
      { site, revision: siteConfig.revision, restored_from: revision },
      `stored revision ${siteConfig.revision} of ${printable(site)}, restored from revision ${revision}\n`,
    );
  });
}

/** Prints the stored text of a revision, by default the current one, and nothing else; with `--json` as a JSON string with its site. */
export async function getSiteConfig(
  settings: ProcessEnvironment,
  options: SiteChoice & { readonly revision?: number },
  output: Output,
): Promise<void> {
  const [text = ""] = await withSite(settings, options, (store) =>
    readTexts(store, [options.revision ?? null]),
  );
  await output.print({ site: options.site, text }, text);
}

/** Prints all revisions, newest first. */
export async function logSiteConfig(
  settings: ProcessEnvironment,
  options: SiteChoice,
  output: Output,
): Promise<void> {
  const revisions = await withSite(settings, options, listAllRevisions);
  const views = revisions.map(({ revision, author, authorKeyId, restoredFrom, size, createdAt }) => ({
    revision,
    author,
    author_key_id: authorKeyId,
    restored_from: restoredFrom,
    size,
    created_at: createdAt,
  }));
  await output.print(views, formatTable([COLUMNS, ...revisions.map(toRow)]));
}

/** Prints all sites of an environment, by name. */
export async function listSiteConfigs(
  settings: ProcessEnvironment,
  choice: AccountChoice,
  output: Output,
): Promise<void> {
  const sites = await withSite(settings, { ...choice, site: "" }, async ({ reader, tenant }) => {
    const all: SiteConfig[] = [];
    let hasMore = true;
    while (hasMore) {
      const last = all.at(-1);
      const after: Position | null = last ? { value: last.site, id: last.id } : null;
      const request = { size: MAX_PAGE_SIZE, from: "start", after, before: null } as const;
      const page = await reader.list(tenant, {}, { field: "site", direction: "ascending" }, request);
      all.push(...page.items);
      hasMore = page.hasMore;
    }
    return all;
  });
  const views = sites.map(({ site, revision, isPublic, size, updatedAt }) => ({
    site,
    revision,
    is_public: isPublic,
    size,
    updated_at: updatedAt,
  }));
  const rows = sites.map(({ site, revision, isPublic, size, updatedAt }) => {
    const visibility = isPublic ? "public" : "private";
    return [site, String(revision), visibility, String(size), updatedAt.toISOString()];
  });
  await output.print(views, formatTable([["SITE", "REVISION", "VISIBILITY", "BYTES", "UPDATED"], ...rows]));
}

/** Prints the changes between two revisions, by default up to the current one, as a JSON Patch with one operation per line. */
export async function diffSiteConfig(
  settings: ProcessEnvironment,
  from: number,
  to: number | undefined,
  options: SiteChoice,
): Promise<void> {
  const texts = await withSite(settings, options, (store) => readTexts(store, [from, to ?? null]));
  const [before = null, after = null] = texts.map((text): JsonValue => JSON.parse(text));
  const lines = diffJson(before, after).map((operation) => `  ${JSON.stringify(operation)}`);
  await writeOutput(lines.length === 0 ? "[]\n" : `[\n${lines.join(",\n")}\n]\n`);
}

interface Store {
  readonly reader: SiteConfigReader;
  readonly service: SiteConfigService;
  readonly tenant: Tenant;
  readonly site: string;
}

/** @throws OperatorError as `withAccount` and the command do */
async function withSite<Result>(
  settings: ProcessEnvironment,
  { account, environment, site }: SiteChoice,
  command: (store: Store) => Promise<Result>,
): Promise<Result> {
  const actor = { name: "cli", requestId: null };
  return withAccount(settings, { account, environment }, actor, async ({ database, writer }) => {
    const reader = new SiteConfigReader(database);
    const service = new SiteConfigService(database);
    return command({ reader, service, tenant: { accountId: writer.accountId, environment }, site });
  });
}

function editorOf({ tenant }: Store, { author }: SiteChange): Editor {
  return { ...tenant, actor: { name: author, keyId: null, requestId: null } };
}

function refusal(checked: CheckedFile): OperatorError {
  return new OperatorError(formatChecks([checked], "text").trimEnd(), { code: "invalid_site_config" });
}

async function requireSite({ reader, tenant, site }: Store): Promise<SiteConfig> {
  const [found] = await reader.bySites(tenant, [site]);
  if (found) return found;
  throw siteNotFound(tenant, site);
}

/** @param revisions null for the current revision @returns the texts in the same order */
async function readTexts(store: Store, revisions: readonly (number | null)[]): Promise<string[]> {
  const current = await requireSite(store);
  const numbers = revisions.map((revision) => revision ?? current.revision);
  const refs = numbers.map((revision) => ({ siteConfigId: current.id, revision }));
  const texts = await store.reader.texts(store.tenant, refs);
  return numbers.map((revision, index) => {
    const text = texts[index];
    if (typeof text === "string") return text;
    throw revisionNotFound(current, revision);
  });
}

async function listAllRevisions(store: Store): Promise<SiteConfigRevision[]> {
  const { id } = await requireSite(store);
  const all: SiteConfigRevision[] = [];
  let hasMore = true;
  while (hasMore) {
    const last = all.at(-1)?.revision;
    const after: Position | null = last === undefined ? null : { value: last, id: last };
    const request = { size: MAX_PAGE_SIZE, from: "start", after, before: null } as const;
    const [page] = await store.reader.listRevisions(store.tenant, [id], request);
    all.push(...(page?.items ?? []));
    hasMore = page?.hasMore === true;
  }
  return all;
}

function toRow(row: SiteConfigRevision): string[] {
  const { revision, createdAt, authorKeyId, size, restoredFrom } = row;
  // With direct database access, the author name is arbitrary.
  const author = authorKeyId === null ? `${row.author} (no API key)` : row.author;
  const note = restoredFrom === null ? "" : `restored from ${restoredFrom}`;
  return [String(revision), createdAt.toISOString(), author, String(size), note];
}
