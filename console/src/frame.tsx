import type { ReactNode } from "react";
import { AuditPage } from "./audit/audit-page.js";
import { DataSourcesPage } from "./data-sources/data-sources-page.js";
import { GroupPage } from "./groups/group-page.js";
import { GroupsPage } from "./groups/groups-page.js";
import { NewGroupPage } from "./groups/new-group-page.js";
import { KeysPage } from "./keys/keys-page.js";
import { focusHeading, Page } from "./parts/page.js";
import { useRoute } from "./routing/navigation.js";
import { hashOf } from "./routing/route.js";
import { useScope, useSession } from "./session/session.js";
import { NewSitePage } from "./sites/new-site-page.js";
import { SitePage } from "./sites/site-page.js";
import { SitesPage } from "./sites/sites-page.js";

const SECTIONS = { groups: "Groups", "data-sources": "Data sources", sites: "Sites" };
const ADMIN_SECTIONS = { audit: "Audit log", keys: "API keys" };

/** The layout of all pages: account, navigation and content. */
export function Frame({ onSignOut }: { readonly onSignOut: () => void }) {
  const { viewer } = useSession();
  const { path } = useRoute();
  const [first = "groups"] = path;
  const section = first.replace(/^new-(.*)$/, "$1s");
  const sections = useScope("ADMIN") ? { ...SECTIONS, ...ADMIN_SECTIONS } : SECTIONS;
  return (
    <div className="frame">
      <header className="top">
        <button type="button" className="skip" onClick={focusHeading}>
          Skip to content
        </button>
        <p className="brand">User groups</p>
        <p className="principal">
          <span className="account">{viewer.accountName}</span>
          <span className={`badge ${viewer.environment.toLowerCase()}`}>{nameOf(viewer.environment)}</span>
          <span className="badge">{viewer.scope.toLowerCase()}</span>
        </p>
        <button type="button" onClick={onSignOut}>
          Sign out
        </button>
      </header>
      <nav className="sections" aria-label="Sections">
        <ul>
          {Object.entries(sections).map(([name, label]) => (
            <li key={name}>
              <a href={hashOf([name])} aria-current={name === section ? "page" : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main key={path.join("/")}>{pageForPath(path)}</main>
    </div>
  );
}

function pageForPath([section = "groups", name, ...rest]: readonly string[]): ReactNode {
  if (rest.length > 0) return <NotFound />;
  if (name !== undefined) {
    if (section === "groups") return <GroupPage providedId={name} />;
    if (section === "sites") return <SitePage site={name} />;
    return <NotFound />;
  }
  switch (section) {
    case "groups":
      return <GroupsPage />;
    case "new-group":
      return <NewGroupPage />;
    case "data-sources":
      return <DataSourcesPage />;
    case "sites":
      return <SitesPage />;
    case "new-site":
      return <NewSitePage />;
    case "audit":
      return <AuditPage />;
    case "keys":
      return <KeysPage />;
    default:
      return <NotFound />;
  }
}

function NotFound() {
  return (
    <Page title="Page not found">
      <p>
        This page does not exist. <a href={hashOf(["groups"])}>Show all groups</a>
      </p>
    </Page>
  );
}

function nameOf(environment: string): string {
  return environment === "CUSTOMER" ? "Customer" : "Testing";
}
