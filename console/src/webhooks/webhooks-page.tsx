import { EndpointListDocument, type EndpointPartsFragment } from "../api/generated/operations.js";
import { Empty } from "../parts/empty.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { useNewDialog } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";
import { EndpointDialog } from "./endpoint-dialog.js";
import { eventNames } from "./events.js";
import { EndpointStatus } from "./status.js";

export function WebhooksPage() {
  const query = useQuery(EndpointListDocument, { ...usePageVariables(), orderBy: { field: "NAME" } });
  const { isNewOpen, openNew, closeNew } = useNewDialog();
  const add = (
    <button type="button" className="primary" onClick={openNew}>
      New endpoint
    </button>
  );
  return (
    <Page
      title="Webhooks"
      description="Endpoints of your systems that receive a signed request for each change."
      actions={add}
    >
      <Loaded query={query}>
        {({ webhookEndpoints }) => (
          <List
            caption="Webhook endpoints"
            page={webhookEndpoints}
            empty={
              <Empty title="No endpoints yet" action={add}>
                Your server receives each change of a group or site configuration and does not need to poll.
              </Empty>
            }
            columns={[
              {
                title: "Name",
                isRowHead: true,
                cell: (endpoint) => <Name endpoint={endpoint} />,
              },
              { title: "Status", cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
              { title: "Events", isWideOnly: true, cell: ({ events }) => eventNames(events) },
              {
                title: "Pending",
                isWideOnly: true,
                cell: ({ health: { pendingDeliveries } }) =>
                  pendingDeliveries >= 1000 ? "1,000 or more" : pendingDeliveries,
              },
              {
                title: "Last success",
                isWideOnly: true,
                cell: ({ health: { lastSuccessAt } }) =>
                  lastSuccessAt === null ? "Never" : <Time at={lastSuccessAt} isRelative />,
              },
            ]}
          />
        )}
      </Loaded>
      {isNewOpen && <EndpointDialog onClose={closeNew} />}
    </Page>
  );
}

function Name({ endpoint: { id, name, url } }: { readonly endpoint: EndpointPartsFragment }) {
  return (
    <>
      <a className="clamped" href={hashOf(["webhooks", id])} title={name}>
        {name}
      </a>
      <span className="code fine clamped" title={url}>
        {url}
      </span>
    </>
  );
}
