import { SiteListDocument } from "../api/generated/operations.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";

export function SitesPage() {
  const query = useQuery(SiteListDocument, usePageVariables());
  return (
    <Page
      title="Sites"
      actions={
        useScope("WRITE") && (
          <a className="button primary" href={hashOf(["new-site"])}>
            New site
          </a>
        )
      }
    >
      <Loaded query={query}>
        {({ siteConfigs }) => (
          <List
            caption="Site configurations"
            page={siteConfigs}
            empty={
              <p className="empty" role="status">
                No sites yet. A site is the configuration of a documentation site.
              </p>
            }
            columns={[
              {
                title: "Site",
                isRowHead: true,
                cell: ({ site }) => <a href={hashOf(["sites", site])}>{site}</a>,
              },
              { title: "Revision", cell: ({ revision }) => revision },
              {
                title: "Visibility",
                cell: ({ isPublic }) => (isPublic ? "Public" : "Private"),
              },
              { title: "Last changed", isWideOnly: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}
