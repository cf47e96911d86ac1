import { useState } from "react";
import { AdminOverviewDocument, OverviewDocument } from "../api/generated/operations.js";
import { CHANGES } from "../parts/audit-actions.js";
import { LoadProblem } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { Skeleton } from "../parts/skeleton.js";
import { hashOf } from "../routing/route.js";
import { useScope, useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { Attention, concernsOf, verdictOf } from "./attention.js";
import { Figure } from "./figure.js";
import { FirstChart } from "./first-chart.js";
import { RecentCard } from "./recent-card.js";
import { UsageChart } from "./usage.js";

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
  const failure = query.failure ?? admin.failure;
  const concerns = admin.data && concernsOf(admin.data);
  const [color, sign] = concerns?.length === 0 ? ["good", "✓"] : ["warning", "!"];
  return (
    <Page title="Overview" description={description}>
      {concerns && (
        <div role="status">
          <h2 className="verdict">
            <span className={`badge ${color}`} aria-hidden="true">
              {sign}
            </span>
            {verdictOf(concerns)}
          </h2>
        </div>
      )}
      <LoadProblem
        failure={failure}
        onRetry={() => {
          query.reload();
          if (isAdmin) admin.reload();
        }}
      />
      <dl className="figures card">
        <Figure label="Groups" value={query.data?.userGroups.totalCount} href={hashOf(["groups"])} />
        <Figure
          label="Data sources"
          value={query.data?.dataSources.totalCount}
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
      {isAdmin ? (
        <div className="cards" aria-busy={query.isLoading || admin.isLoading}>
          <div>
            {concerns ? <Attention concerns={concerns} /> : !failure && <Skeleton />}
            {admin.data && <RecentCard recent={admin.data.recent} />}
          </div>
          {admin.data && <UsageChart auditDays={admin.data.auditDays} />}
        </div>
      ) : (
        <p className="fine">
          Changes, webhooks and keys need an API key of scope admin.{" "}
          <a href={hashOf(["groups"])}>Show all groups</a>
        </p>
      )}
    </Page>
  );
}
