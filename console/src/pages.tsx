import type { ReactNode } from "react";
import type { ApiKeyScope } from "./api/generated/operations.js";
import { OverviewPage } from "./overview/overview-page.js";
import { OnDemand } from "./parts/on-demand.js";
import { Page } from "./parts/page.js";
import { Skeleton } from "./parts/skeleton.js";
import { hashOf } from "./routing/route.js";
import { useScope, useSession } from "./session/session.js";

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
  {
    name: "dashboard-tools",
    label: "Dashboard tools",
    icon: "M3 4h18v16H3zM8 16v-4M12 16V8M16 16v-6",
    isAdminOnly: true,
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

/** Loads the component of a page; each but the first is a file of its own. */
type PageLoader<Props> = () => Promise<(props: Props) => ReactNode>;

/** The pages without a parameter, by path. */
const PAGES: Readonly<Record<string, PageLoader<object>>> = {
  overview: async () => OverviewPage,
  groups: async () => (await import("./groups/groups-page.js")).GroupsPage,
  "new-group": async () => (await import("./groups/new-group-page.js")).NewGroupPage,
  "bulk-changes": async () => (await import("./groups/bulk-changes-page.js")).BulkChangesPage,
  "property-schema": async () => (await import("./groups/property-schema-page.js")).PropertySchemaPage,
  "check-session": async () => (await import("./groups/check-session-page.js")).CheckSessionPage,
  "data-sources": async () => (await import("./data-sources/data-sources-page.js")).DataSourcesPage,
  "dashboard-tools": async () => (await import("./dashboard-tools/templates-page.js")).TemplatesPage,
  "new-dashboard-tool": async () => (await import("./dashboard-tools/new-template-page.js")).PickToolPage,
  sites: async () => (await import("./sites/sites-page.js")).SitesPage,
  "new-site": async () => (await import("./sites/new-site-page.js")).NewSitePage,
  webhooks: async () => (await import("./webhooks/webhooks-page.js")).WebhooksPage,
  audit: async () => (await import("./audit/audit-page.js")).AuditPage,
  keys: async () => (await import("./keys/keys-page.js")).KeysPage,
  "sign-in": async () => (await import("./sign-in/switch-account-page.js")).SwitchAccountPage,
};

/** The pages of one object, by the first segment of their path; the second segment is the object's name. */
const DETAIL_PAGES: Readonly<Record<string, PageLoader<{ readonly name: string }>>> = {
  "bulk-changes": async () => (await import("./groups/bulk-changes-page.js")).BulkChangePage,
  groups: async () => (await import("./groups/group-page.js")).GroupPage,
  "dashboard-tools": async () => (await import("./dashboard-tools/template-page.js")).TemplatePage,
  "new-dashboard-tool": async () => (await import("./dashboard-tools/new-template-page.js")).NewTemplatePage,
  sites: async () => (await import("./sites/site-page.js")).SitePage,
  webhooks: async () => (await import("./webhooks/webhook-page.js")).WebhookPage,
};

/** Returns the section that a path belongs to: `new-group` belongs to `groups`. */
export function sectionOf([first = "overview"]: readonly string[]): string {
  if (["check-session", "bulk-changes", "property-schema"].includes(first)) return "groups";
  return first.replace(/^new-(.*)$/, "$1s");
}

export function pageAt([first = "overview", name, ...rest]: readonly string[]): ReactNode {
  if (rest.length > 0) return <NotFound />;
  const page = name === undefined ? pageOf(PAGES, first, {}) : pageOf(DETAIL_PAGES, first, { name });
  const isAdminOnly = SECTIONS.some(({ name: own, isAdminOnly: is }) => own === sectionOf([first]) && is);
  if (page && isAdminOnly) return <Scoped scope="ADMIN">{page}</Scoped>;
  if (page && (first.startsWith("new-") || first === "bulk-changes"))
    return <Scoped scope="WRITE">{page}</Scoped>;
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

function pageOf<Props extends object>(
  pages: Readonly<Record<string, PageLoader<Props>>>,
  path: string,
  props: Props,
): ReactNode {
  const load = Object.hasOwn(pages, path) ? pages[path] : undefined;
  return load && <OnDemand load={load} props={props} placeholder={<Skeleton />} />;
}
