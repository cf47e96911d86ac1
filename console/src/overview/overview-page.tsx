import { useState } from "react";
import {
  AdminOverviewDocument,
  type AdminOverviewQuery,
  OverviewDocument,
  type OverviewQuery,
} from "../api/generated/operations.js";
import { CHANGES } from "../parts/audit-actions.js";
import { LoadProblem } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { Skeleton } from "../parts/skeleton.js";
import { useRoute } from "../routing/navigation.js";
import { useScope, useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { Attention, concernsOf, verdictOf } from "./attention.js";
import { FirstChart } from "./first-chart.js";
import { RecentCard } from "./recent-card.js";
import { type Day, UsageChart, UsageTiles } from "./usage.js";

const USAGE = ["groups", "sessions", "calls", "errors"] as const;

/** The state of the environment at a glance, and the first steps of a new account. */
export function OverviewPage() {
  const { viewer, environment } = useSession();
  const isAdmin = useScope("ADMIN");
  const query = useQuery(OverviewDocument, {});
  const admin = useQuery(AdminOverviewDocument, { changes: CHANGES }, isAdmin);
  const canWrite = useScope("WRITE");
  const { path } = useRoute();
  const description = `Account ${viewer.accountName}, ${environment} environment`;
  /** Whether the account was empty when the page opened. */
  const [isFirst, setFirst] = useState(false);
  if (canWrite && (isFirst || query.data?.usageDays.at(-1)?.groups === 0)) {
    return (
      <Page title="Your first chart" description={description}>
        <FirstChart onStart={() => setFirst(true)} />
      </Page>
    );
  }
  const failure = query.failure ?? admin.failure;
  const concerns = query.data && (admin.data || !isAdmin) ? concernsOf(query.data, admin.data, path) : null;
  const days = daysOf(query.data, admin.data);
  const [color, sign] = concerns ? signOf(concerns) : ["", "?"];
  return (
    <Page title="Overview" description={description}>
      <div role="status">
        <h2 className="verdict">
          <span className={`badge ${color}`} aria-hidden="true">
            {sign}
          </span>
          {query.data && concerns
            ? verdictOf(query.data, concerns)
            : failure
              ? "Not everything could be checked."
              : "Checking…"}
        </h2>
      </div>
      <LoadProblem
        failure={failure}
        onRetry={() => {
          query.reload();
          if (isAdmin) admin.reload();
        }}
      />
      <UsageTiles days={days} measures={USAGE} />
      <div className="cards" aria-busy={query.isLoading || admin.isLoading}>
        <div>
          {concerns ? <Attention concerns={concerns} isAdmin={isAdmin} /> : !failure && <Skeleton />}
          {admin.data && <RecentCard recent={admin.data.recent} />}
        </div>
        <UsageChart days={days} measures={isAdmin ? [...USAGE, "changes"] : USAGE} />
      </div>
    </Page>
  );
}

/** Returns the color and the sign of the verdict. */
function signOf(concerns: NonNullable<ReturnType<typeof concernsOf>>): readonly [string, string] {
  if (concerns.length === 0) return ["good", "✓"];
  return [concerns.some(({ isFailure }) => isFailure) ? "bad" : "warning", "!"];
}

function daysOf(data: OverviewQuery | null, admin: AdminOverviewQuery | null): readonly Day[] {
  const changes = new Map(admin?.auditDays.map((day) => [day.date, day.changes]));
  return (data?.usageDays ?? []).map((day) => ({ ...day, changes: changes.get(day.date) ?? null }));
}
