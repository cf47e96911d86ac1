import { useState } from "react";
import { SiteDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { Recent } from "../parts/recent.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { Revisions } from "./revisions.js";
import { SiteActions } from "./site-actions.js";
import { SiteForm } from "./site-form.js";

const BACK = { href: hashOf(["sites"]), label: "Sites" };

export function SitePage({ name: site }: { readonly name: string }) {
  const query = useQuery(SiteDocument, { site });
  if (!query.data) {
    return (
      <Page title={site} back={BACK}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  const { siteConfig } = query.data;
  if (!siteConfig) {
    return (
      <Page title="Site not found" back={BACK}>
        <p>
          This environment has no site named <code>{site}</code>.{" "}
          <a href={hashOf(["sites"])}>Show all sites</a>
        </p>
      </Page>
    );
  }
  return <SiteDetails site={siteConfig} reload={query.reload} />;
}

interface SiteDetailsProps {
  readonly site: SitePartsFragment;
  readonly reload: () => void;
}

function SiteDetails({ site: loaded, reload }: SiteDetailsProps) {
  // The result of a mutation is newer than the loaded site until the next reload.
  const [changed, setChanged] = useState({ since: loaded, site: loaded });
  const site = changed.since === loaded ? changed.site : loaded;
  const onUpdate = (next: SitePartsFragment) => setChanged({ since: loaded, site: next });
  const canWrite = useScope("WRITE");
  return (
    <Page
      title={site.site}
      back={BACK}
      description={
        <>
          Revision {site.revision}, <Time at={site.updatedAt} />.{" "}
          {site.publicPath === null ? (
            "Private: reading it requires an API key."
          ) : (
            <>
              Public: anyone can read <a href={`..${site.publicPath}`}>the file</a>.
            </>
          )}
        </>
      }
      actions={canWrite && <SiteActions site={site} onUpdate={onUpdate} />}
    >
      <Recent label={site.site} detail="Site" />
      <SiteForm site={site} onUpdate={onUpdate} onConflict={reload} />
      <Revisions site={site} onUpdate={onUpdate} />
    </Page>
  );
}
