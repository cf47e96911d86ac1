import { TemplateListDocument, type TemplatePartsFragment } from "../api/generated/operations.js";
import { DocsLink } from "../parts/docs-link.js";
import { Empty } from "../parts/empty.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { originOf } from "../parts/origin-of.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";

/** The session templates of the environment. */
export function TemplatesPage() {
  const query = useQuery(TemplateListDocument, usePageVariables());
  const add = (
    <a className="button primary" href={hashOf(["new-dashboard-tool"])}>
      New template
    </a>
  );
  return (
    <Page
      title="Dashboard tools"
      description={
        <>
          Session templates: what the token of a group contains for another tool, and who signs it.{" "}
          <DocsLink page="integrations">How tools are set up</DocsLink>
        </>
      }
      actions={add}
    >
      <Loaded query={query}>
        {({ sessionTemplates }) => (
          <List
            caption="Session templates"
            page={sessionTemplates}
            empty={
              <Empty title="No templates yet" action={add}>
                A template makes tokens that Metabase, Superset and other tools accept.
              </Empty>
            }
            columns={[
              { title: "Name", isRowHead: true, cell: (template) => <Name template={template} /> },
              {
                title: "Tool",
                cell: ({ url }) => <span className="code word">{originOf(url) ?? "–"}</span>,
              },
              { title: "Signed with", isWideOnly: true, cell: ({ algorithm }) => algorithm },
              { title: "Lifetime", isWideOnly: true, cell: ({ lifetimeSeconds }) => `${lifetimeSeconds} s` },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

function Name({ template: { id, name, description } }: { readonly template: TemplatePartsFragment }) {
  return (
    <>
      <a className="clamped" href={hashOf(["dashboard-tools", id])} title={name}>
        {name}
      </a>
      <span className="fine below">{description}</span>
    </>
  );
}
