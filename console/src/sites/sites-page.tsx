import { SiteListDocument } from "../api/generated/operations.js";
import { Empty } from "../parts/empty.js";
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
  const canWrite = useScope("WRITE");
  const add = canWrite && (
    <a className="button primary" href={hashOf(["new-site"])}>
      New site
    </a>
  );
  return (
    <Page
      title="Sites"
      description="Settings of documentation sites: validated as you type, every revision kept."
      actions={add}
    >
      <Loaded query={query}>
        {({ siteConfigs }) => (
          <List
            caption="Site configurations"
            page={siteConfigs}
            empty={
              <Empty title="No sites yet" action={add}>
                A site is the settings file of a documentation site: validated, with every revision kept.
              </Empty>
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
                cell: ({ isPublic }) => (
                  <span className={isPublic ? "badge customer" : "badge"}>
                    {isPublic ? "public" : "private"}
                  </span>
                ),
              },
              {
                title: "Last changed",
                isWideOnly: true,
                cell: ({ updatedAt }) => <Time at={updatedAt} isRelative />,
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}
