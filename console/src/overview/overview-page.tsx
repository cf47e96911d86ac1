import { useState } from "react";
import { AdminOverviewDocument, OverviewDocument } from "../api/generated/operations.js";
import { CHANGES } from "../parts/audit-actions.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { hashOf } from "../routing/route.js";
import { useScope, useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { Figure } from "./figure.js";
import { FirstChart } from "./first-chart.js";
import { KeyCard } from "./key-card.js";
import { RecentCard } from "./recent-card.js";
import { WebhookCard } from "./webhook-card.js";

/** The state of the environment at a glance, and the first steps of a new account. */
export function OverviewPage() {
  const { viewer, environment } = useSession();
  const isAdmin = useScope("ADMIN");
  const query = useQuery(OverviewDocument, {});
  const admin = useQuery(AdminOverviewDocument, { changes: CHANGES }, isAdmin);
  const canWrite = useScope("WRITE");
  const description = `Account ${viewer.accountName}, ${environment} environment`;
  /** Whether the account was empty when the page opened. */
  const [isFirst, setFirst] = useState(false);
  if (canWrite && (isFirst || query.data?.userGroups.totalCount === 0)) {
    return (
      <Page title="Your first chart" description={description}>
        <FirstChart onStart={() => setFirst(true)} />
      </Page>
    );
  }
  return (
    <Page title="Overview" description={description}>
      <Loaded query={query}>
        {(data) => (
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
        )}
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
