import type { ReactNode } from "react";
import type { ApiKeyScope } from "./api/generated/operations.js";
import { AuditPage } from "./audit/audit-page.js";
import { DataSourcesPage } from "./data-sources/data-sources-page.js";
import { CheckSessionPage } from "./groups/check-session-page.js";
import { GroupPage } from "./groups/group-page.js";
import { GroupsPage } from "./groups/groups-page.js";
import { NewGroupPage } from "./groups/new-group-page.js";
import { KeysPage } from "./keys/keys-page.js";
import { OverviewPage } from "./overview/overview-page.js";
import { Page } from "./parts/page.js";
import { hashOf } from "./routing/route.js";
import { useScope, useSession } from "./session/session.js";
import { SwitchAccountPage } from "./sign-in/switch-account-page.js";
import { NewSitePage } from "./sites/new-site-page.js";
import { SitePage } from "./sites/site-page.js";
import { SitesPage } from "./sites/sites-page.js";
import { WebhookPage } from "./webhooks/webhook-page.js";
import { WebhooksPage } from "./webhooks/webhooks-page.js";

export interface Section {
  readonly name: string;
  readonly label: string;
  /** Path of its icon, in a 24 × 24 box. */
  readonly icon: string;
  readonly isAdminOnly?: boolean;
}

export const SECTIONS: readonly Section[] = [
  { name: "overview", label: "Overview", icon: "M4 13h7V4H4zM13 20h7V4h-7zM4 20h7v-4H4z" },
  {
    name: "groups",
    label: "Groups",
    icon: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21v-1a6 6 0 0 1 14 0v1M16 3.5a4 4 0 0 1 0 7.5M22 21v-1a6 6 0 0 0-4-5.6",
  },
  {
    name: "data-sources",
    label: "Data sources",
    icon: "M4 6c0-4 16-4 16 0s-16 4-16 0zM4 6v12c0 4 16 4 16 0V6M4 12c0 4 16 4 16 0",
  },
  { name: "sites", label: "Sites", icon: "M5 3h9l5 5v13H5zM14 3v5h5M8 13h8M8 17h5" },
  {
    name: "webhooks",
    label: "Webhooks",
    icon: "M9 8.5a4 4 0 1 1 5.5 3.7M12 8l-4.5 8M5.5 13.5A4 4 0 1 0 11 17h6M14.5 14a4 4 0 1 1 .5 6",
    isAdminOnly: true,
  },
  {
    name: "audit",
    label: "Audit log",
    icon: "M12 7v5l3 2M3 12a9 9 0 1 0 3-6.7L3 8M3 3v5h5",
    isAdminOnly: true,
  },
  {
    name: "keys",
    label: "API keys",
    icon: "M15 13a5 5 0 1 0-4.6-3L3 17.5V21h4v-3h3v-3h1.5zM16.5 7.5h.01",
    isAdminOnly: true,
  },
];

/** The pages without a parameter, by path. */
const PAGES: Readonly<Record<string, () => ReactNode>> = {
  overview: () => <OverviewPage />,
  groups: () => <GroupsPage />,
  "new-group": () => <NewGroupPage />,
  "check-session": () => <CheckSessionPage />,
  "data-sources": () => <DataSourcesPage />,
  sites: () => <SitesPage />,
  "new-site": () => <NewSitePage />,
  webhooks: () => <WebhooksPage />,
  audit: () => <AuditPage />,
  keys: () => <KeysPage />,
  "sign-in": () => <SwitchAccountPage />,
};

/** The pages of one object, by the first segment of their path; the second segment is the object's name. */
const DETAIL_PAGES: Readonly<Record<string, (name: string) => ReactNode>> = {
  groups: (name) => <GroupPage providedId={name} />,
  sites: (name) => <SitePage site={name} />,
  webhooks: (id) => <WebhookPage id={id} />,
};

/** Returns the section that a path belongs to: `new-group` belongs to `groups`. */
export function sectionOf([first = "overview"]: readonly string[]): string {
  if (first === "check-session") return "groups";
  return first.replace(/^new-(.*)$/, "$1s");
}

export function pageAt([first = "overview", name, ...rest]: readonly string[]): ReactNode {
  if (rest.length > 0) return <NotFound />;
  const page = name === undefined ? find(PAGES, first)?.() : find(DETAIL_PAGES, first)?.(name);
  const isAdminOnly = SECTIONS.some((section) => section.name === first && section.isAdminOnly);
  if (page && isAdminOnly) return <Scoped scope="ADMIN">{page}</Scoped>;
  if (page && first.startsWith("new-")) return <Scoped scope="WRITE">{page}</Scoped>;
  return page ?? <NotFound />;
}

/** Shows a page to those who may use it, and shows others which scope it needs. */
function Scoped({ scope, children }: { readonly scope: ApiKeyScope; readonly children: ReactNode }) {
  const { viewer } = useSession();
  if (useScope(scope)) return children;
  return (
    <Page title={`This page needs the scope ${scope.toLowerCase()}`}>
      <p>
        You are signed in with the scope {viewer.scope.toLowerCase()}.{" "}
        <a href={hashOf(["overview"])}>Go to the overview</a>
      </p>
    </Page>
  );
}

function NotFound() {
  return (
    <Page title="Page not found">
      <p>
        This page does not exist. <a href={hashOf(["overview"])}>Go to the overview</a>
      </p>
    </Page>
  );
}

function find<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
