import { SiteListDocument } from "../api/generated/operations.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { Pager, usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";

/** The list of site configurations. */
export function SitesPage() {
  const query = useQuery(SiteListDocument, usePageVariables());
  return (
    <Page
      title="Sites"
      actions={
        useScope("write") && (
          <a className="button primary" href={hashOf(["new-site"])}>
            New site
          </a>
        )
      }
    >
      <Loaded query={query}>
        {({ siteConfigs: { nodes, pageInfo } }) => (
          <>
            {nodes.length === 0 && (
              <p className="empty" role="status">
                There is no site yet. Each is a documentation site with its settings file.
              </p>
            )}
            {nodes.length > 0 && (
              <table>
                <caption className="unseen">Site configurations</caption>
                <thead>
                  <tr>
                    <th scope="col">Site</th>
                    <th scope="col">Revision</th>
                    <th scope="col">Read by</th>
                    <th scope="col" className="wide-only">
                      Last changed
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {nodes.map(({ id, site, revision, public: isPublic, updatedAt }) => (
                    <tr key={id}>
                      <th scope="row">
                        <a href={hashOf(["sites", site])}>{site}</a>
                      </th>
                      <td>{revision}</td>
                      <td>{isPublic ? "everybody" : "holders of a key"}</td>
                      <td className="wide-only">
                        <Time at={updatedAt} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
