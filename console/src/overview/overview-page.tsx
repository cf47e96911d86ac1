import { AdminOverviewDocument, OverviewDocument } from "../api/generated/operations.js";
import { CHANGES } from "../parts/audit-actions.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { hashOf } from "../routing/route.js";
import { useScope, useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { Checklist } from "./checklist.js";
import { Figure } from "./figure.js";
import { KeyCard } from "./key-card.js";
import { RecentCard } from "./recent-card.js";
import { stepsOf } from "./steps.js";
import { WebhookCard } from "./webhook-card.js";

/** The state of the environment at a glance, and the first steps of a new account. */
export function OverviewPage() {
  const { viewer, environment } = useSession();
  const isAdmin = useScope("ADMIN");
  const query = useQuery(OverviewDocument, {});
  const admin = useQuery(AdminOverviewDocument, { changes: CHANGES }, isAdmin);
  return (
    <Page title="Overview" description={`Account ${viewer.accountName}, ${environment} environment`}>
      <Loaded query={query}>
        {(data) => {
          const steps = stepsOf(data, admin.data);
          const isKnown = !isAdmin || admin.data !== null;
          return (
            <>
              <dl className="figures card">
                <Figure label="Groups" value={data.userGroups.totalCount} href={hashOf(["groups"])} />
                <Figure
                  label="Data sources"
                  value={data.dataSources.totalCount}
                  href={hashOf(["data-sources"])}
                />
                {isAdmin && (
                  <>
                    <Figure
                      label="Changes today"
                      value={admin.data?.auditDays.at(-1)?.changes}
                      href={hashOf(["audit"])}
                    />
                    <Figure
                      label="Active API keys"
                      value={admin.data?.apiKeys.nodes.length}
                      href={hashOf(["keys"])}
                    />
                  </>
                )}
              </dl>
              {isKnown && steps.some(({ isDone }) => !isDone) && <Checklist steps={steps} />}
            </>
          );
        }}
      </Loaded>
      {isAdmin ? (
        <Loaded query={admin}>
          {(data) => (
            <div className="cards">
              <RecentCard data={data} />
              <div>
                <WebhookCard data={data} />
                <KeyCard data={data} />
              </div>
            </div>
          )}
        </Loaded>
      ) : (
        <p className="fine">
          Changes, webhooks and keys need an API key of scope admin.{" "}
          <a href={hashOf(["groups"])}>Show all groups</a>
        </p>
      )}
    </Page>
  );
}
