import type { Connection } from "./connection.js";
import { type ApiErrorDetails, InvalidRequestError } from "./errors.js";
import {
  DeleteSiteConfigDocument,
  type DeleteSiteConfigInput,
  PutSiteConfigDocument,
  type PutSiteConfigInput,
  SiteConfigDocument,
  type SiteConfigFieldsFragment,
  type SiteConfigReportFieldsFragment,
  SiteConfigsDocument,
  type SiteConfigsQuery,
} from "./generated/operations.js";
import { detailsOf, requireSuccess, requireValue } from "./graphql-wire.js";
import type { CallOptions } from "./options.js";
import { type ListOptions, paginate } from "./pages.js";

/** The settings file of a documentation site: its current revision. */
export type SiteConfig = SiteConfigFieldsFragment;

/** A site in a list, without its document. */
export type ListedSiteConfig = SiteConfigsQuery["siteConfigs"]["nodes"][number];

/** The findings of a validation. */
export type SiteConfigReport = SiteConfigReportFieldsFragment;

/** The file has errors, listed in the report, and was not stored. */
export class InvalidSiteConfigError extends InvalidRequestError {
  override readonly name = "InvalidSiteConfigError";
  readonly report: SiteConfigReport;

  constructor(details: ApiErrorDetails, report: SiteConfigReport) {
    super(details);
    this.report = report;
  }
}

export class SiteConfigs {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @returns null if it does not exist */
  async get(site = "default", options?: CallOptions): Promise<SiteConfig | null> {
    return this.#connection.run(SiteConfigDocument, { site }, options, (data) => data.siteConfig);
  }

  /** Iterates over all sites, page by page. */
  list(options: ListOptions = {}): AsyncGenerator<ListedSiteConfig, void, undefined> {
    const { pageSize, ...call } = options;
    const read = async (first: number, after: string | null) =>
      this.#connection.run(SiteConfigsDocument, { first, after }, call, (data) => data.siteConfigs);
    return paginate(read, pageSize);
  }

  /**
   * Stores a file as a new revision.
   * @returns the revision and its warnings
   * @throws InvalidSiteConfigError; ConflictError if the current revision is not `expectedRevision`
   */
  async put(
    input: PutSiteConfigInput,
    options?: CallOptions,
  ): Promise<{ readonly siteConfig: SiteConfig; readonly report: SiteConfigReport }> {
    return this.#connection.mutate(
      PutSiteConfigDocument,
      { input },
      options,
      ({ putSiteConfig }, response) => {
        const { report, userErrors } = putSiteConfig;
        const [first] = userErrors;
        if (first?.code === "INVALID_SITE_CONFIG" && report)
          throw new InvalidSiteConfigError(detailsOf(first, userErrors, response), report);
        return {
          siteConfig: requireValue(putSiteConfig, "siteConfig", response),
          report: requireValue(putSiteConfig, "report", response),
        };
      },
    );
  }

  /** Its revisions are part of the history if the site is created again. @throws NotFoundError; ConflictError if the current revision is not `expectedRevision` */
  async delete(input: DeleteSiteConfigInput, options?: CallOptions): Promise<void> {
    return this.#connection.mutate(DeleteSiteConfigDocument, { input }, options, (data, response) =>
      requireSuccess(data.deleteSiteConfig.userErrors, response),
    );
  }
}
