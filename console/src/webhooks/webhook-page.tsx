import { EndpointDocument, type EndpointPartsFragment } from "../api/generated/operations.js";
import { DocsLink } from "../parts/docs-link.js";
import { Fact } from "../parts/facts.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { Recent } from "../parts/recent.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";
import { Deliveries, useDeliveryFilter } from "./deliveries.js";
import { EnableEndpoint } from "./enable-endpoint.js";
import { EndpointActions } from "./endpoint-actions.js";
import { eventNames } from "./events.js";
import { RetryAll } from "./retry-all.js";
import { EndpointStatus } from "./status.js";

const BACK = { href: hashOf(["webhooks"]), label: "Webhooks" };

/** @param name the endpoint's global ID */
export function WebhookPage({ name: id }: { readonly name: string }) {
  const { filter: chosen = {} } = useDeliveryFilter() ?? {};
  const filter = { endpointId: id, ...chosen };
  const query = useQuery(EndpointDocument, { id, filter, ...usePageVariables() });
  if (!query.data) {
    return (
      <Page title="Webhook endpoint" back={BACK}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  const { node: endpoint, webhookDeliveries } = query.data;
  if (endpoint?.__typename !== "WebhookEndpoint") {
    return (
      <Page title="Endpoint not found" back={BACK}>
        <p>
          It may have been deleted. <a href={BACK.href}>Show all endpoints</a>
        </p>
      </Page>
    );
  }
  return (
    <Page
      title={endpoint.name}
      back={BACK}
      description={<code>{endpoint.url}</code>}
      actions={<EndpointActions endpoint={endpoint} onUpdate={query.reload} />}
    >
      <Recent label={endpoint.name} detail={endpoint.url} />
      <Health endpoint={endpoint} onChange={query.reload} />
      <Deliveries endpoint={endpoint} page={webhookDeliveries} onChange={query.reload} />
    </Page>
  );
}

interface HealthProps {
  readonly endpoint: EndpointPartsFragment;
  readonly onChange: () => void;
}

function Health({ endpoint, onChange }: HealthProps) {
  const { id, health, events, createdAt, disabledAt } = endpoint;
  const { lastSuccessAt, lastFailureAt, lastError, consecutiveFailures, pausedUntil } = health;
  const isFailing = disabledAt === null && consecutiveFailures > 0;
  return (
    <>
      {disabledAt !== null && (
        <p className="callout">
          Disabled <Time at={disabledAt} isRelative />. Events that occur meanwhile are not sent later;
          pending deliveries are sent once it is enabled.
        </p>
      )}
      {isFailing && (
        <div className="callout bad">
          <p>
            The last {consecutiveFailures === 1 ? "attempt" : `${consecutiveFailures} attempts`} failed:{" "}
            {lastError}
            {pausedUntil !== null && (
              <>
                {" "}
                Deliveries are paused until <Time at={pausedUntil} />.
              </>
            )}{" "}
            <DocsLink page="webhook-checklist">Find the cause</DocsLink>
          </p>
          <div className="actions">
            {pausedUntil !== null && (
              <EnableEndpoint
                id={id}
                label="Resume"
                notice="Deliveries are resumed. If they fail, they are paused again."
                onDone={onChange}
              />
            )}
            <RetryAll endpointId={id} onChange={onChange} />
          </div>
        </div>
      )}
      <dl className="facts card">
        <Fact label="Status">
          <EndpointStatus endpoint={endpoint} />
        </Fact>
        <Fact label="Events">{eventNames(events)}</Fact>
        <Fact label="Last success">
          {lastSuccessAt === null ? "Never" : <Time at={lastSuccessAt} isRelative />}
        </Fact>
        <Fact label="Last failure">
          {lastFailureAt === null ? "Never" : <Time at={lastFailureAt} isRelative />}
        </Fact>
        <Fact label="Created">
          <Time at={createdAt} />
        </Fact>
      </dl>
    </>
  );
}
