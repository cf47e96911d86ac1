import { useEffect, useState } from "react";
import type {
  DeliveryPartsFragment,
  EndpointPartsFragment,
  EndpointQuery,
  WebhookDeliveryFilter,
} from "../api/generated/operations.js";
import { Empty } from "../parts/empty.js";
import { List } from "../parts/list.js";
import { Time } from "../parts/time.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { EVENTS } from "./events.js";
import { RetryAll } from "./retry-all.js";
import { ShowDelivery } from "./show-delivery.js";
import { DeliveryState, responseOf, Subject } from "./status.js";

interface DeliveryFilter {
  /** In the URL. */
  readonly name: string;
  readonly label: string;
  readonly filter: WebhookDeliveryFilter;
}

const FILTERS: readonly DeliveryFilter[] = [
  { name: "PENDING", label: "Pending", filter: { state: "PENDING" } },
  { name: "DELIVERED", label: "Delivered", filter: { state: "DELIVERED" } },
  { name: "FAILING", label: "With failed attempts", filter: { lastAttemptFailed: true } },
  { name: "DEAD", label: "Failed", filter: { state: "DEAD" } },
];
/** Interval of reloads while a delivery is being sent. */
const RELOAD_MS = 2000;
/** A delivery that has been due for longer waits for others, or for the end of a pause; one that is due later waits for a retry. */
const NEAR_MS = 60_000;

interface DeliveriesProps {
  readonly endpoint: EndpointPartsFragment;
  readonly page: EndpointQuery["webhookDeliveries"];
  /** Called to load the deliveries and the endpoint's health again. */
  readonly onChange: () => void;
}

/** Returns the filter of deliveries in the URL. */
export function useDeliveryFilter(): DeliveryFilter | undefined {
  const { state } = useRoute().query;
  return FILTERS.find(({ name }) => name === state);
}

export function Deliveries({ endpoint, page, onChange }: DeliveriesProps) {
  const { path } = useRoute();
  const chosen = useDeliveryFilter();
  const [shown, setShown] = useState<DeliveryPartsFragment | null>(null);
  const isRetryable = chosen?.filter.lastAttemptFailed === true && page.nodes.length > 0;
  useReloadWhileSending(page.nodes, onChange);
  return (
    <section aria-labelledby="deliveries">
      <div className="section-head">
        <h2 id="deliveries">Deliveries</h2>
        <nav className="filters" aria-label="Status">
          <a href={hashOf(path)} aria-current={chosen ? undefined : "true"}>
            All
          </a>
          {FILTERS.map(({ name, label }) => (
            <a
              key={name}
              href={hashOf(path, { state: name })}
              aria-current={name === chosen?.name ? "true" : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        {/* While the endpoint fails, its callout has it. */}
        {isRetryable && endpoint.health.status !== "FAILING" && (
          <RetryAll endpointId={endpoint.id} onChange={onChange} />
        )}
        <button type="button" onClick={onChange}>
          Refresh
        </button>
      </div>
      <List
        caption="Deliveries, newest first"
        page={page}
        empty={
          <Empty title={chosen ? "No such deliveries" : "No deliveries yet"}>
            Recent deliveries are listed here.
          </Empty>
        }
        columns={[
          {
            title: "Event",
            isRowHead: true,
            cell: (delivery) => (
              <>
                <button type="button" className="link" onClick={() => setShown(delivery)}>
                  {EVENTS[delivery.event]}
                </button>
                <span className="code fine narrow-only">
                  <Subject delivery={delivery} />
                </span>
                <span className="fine narrow-only">
                  <Time at={delivery.createdAt} isRelative />
                </span>
              </>
            ),
          },
          {
            title: "Subject",
            className: "code",
            isWideOnly: true,
            cell: (delivery) => <Subject delivery={delivery} />,
          },
          { title: "Status", cell: (delivery) => <DeliveryState delivery={delivery} /> },
          { title: "Response", isWideOnly: true, cell: responseOf },
          { title: "Attempts", isWideOnly: true, cell: ({ attempts }) => attempts },
          { title: "Created", isWideOnly: true, cell: ({ createdAt }) => <Time at={createdAt} isRelative /> },
        ]}
      />
      {shown && (
        <ShowDelivery
          delivery={page.nodes.find(({ id }) => id === shown.id) ?? shown}
          onReplayed={onChange}
          onClose={() => setShown(null)}
        />
      )}
    </section>
  );
}

/** Reloads while one of these deliveries is due or is being sent. */
function useReloadWhileSending(shown: readonly DeliveryPartsFragment[], reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (shown.some(isSending)) reload();
    }, RELOAD_MS);
    return () => clearInterval(timer);
  }, [shown, reload]);
}

function isSending({ state, nextAttemptAt }: DeliveryPartsFragment): boolean {
  return state === "PENDING" && Math.abs(Date.parse(nextAttemptAt ?? "") - Date.now()) < NEAR_MS;
}
