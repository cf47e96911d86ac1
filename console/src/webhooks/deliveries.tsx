import { useEffect, useState } from "react";
import type {
  DeliveryPartsFragment,
  EndpointQuery,
  WebhookDeliveryState,
} from "../api/generated/operations.js";
import { Empty } from "../parts/empty.js";
import { List } from "../parts/list.js";
import { Time } from "../parts/time.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { EVENTS } from "./events.js";
import { ShowDelivery } from "./show-delivery.js";
import { DeliveryState, responseOf, Subject } from "./status.js";

const STATES: Readonly<Record<WebhookDeliveryState, string>> = {
  PENDING: "Pending",
  DELIVERED: "Delivered",
  DEAD: "Failed",
};
/** Interval of reloads while the newest delivery is pending. */
const RELOAD_MS = 2000;
/** A delivery that has been pending for longer waits for a retry, which takes minutes to days. */
const RECENT_MS = 60_000;

interface DeliveriesProps {
  readonly page: EndpointQuery["webhookDeliveries"];
  /** Called to load the deliveries and the endpoint's health again. */
  readonly onChange: () => void;
}

/** Returns the state in the URL by which deliveries are filtered. */
export function useDeliveryState(): WebhookDeliveryState | undefined {
  const { state } = useRoute().query;
  return (["PENDING", "DELIVERED", "DEAD"] as const).find((each) => each === state);
}

export function Deliveries({ page, onChange }: DeliveriesProps) {
  const { path } = useRoute();
  const state = useDeliveryState();
  const [shown, setShown] = useState<DeliveryPartsFragment | null>(null);
  useReloadWhilePending(page.nodes[0], onChange);
  return (
    <section aria-labelledby="deliveries">
      <div className="section-head">
        <h2 id="deliveries">Deliveries</h2>
        <nav className="filters" aria-label="Status">
          <a href={hashOf(path)} aria-current={state ? undefined : "true"}>
            All
          </a>
          {Object.entries(STATES).map(([name, label]) => (
            <a
              key={name}
              href={hashOf(path, { state: name })}
              aria-current={name === state ? "true" : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <button type="button" onClick={onChange}>
          Refresh
        </button>
      </div>
      <List
        caption="Deliveries, newest first"
        page={page}
        empty={
          <Empty title={state ? "No deliveries with this status" : "No deliveries yet"}>
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

/** Reloads while the newest delivery waits for its first attempts. */
function useReloadWhilePending(newest: DeliveryPartsFragment | undefined, reload: () => void): void {
  const { state, createdAt = "" } = newest ?? {};
  useEffect(() => {
    if (state !== "PENDING") return;
    const timer = setInterval(() => {
      if (Date.now() - Date.parse(createdAt) < RECENT_MS) reload();
    }, RELOAD_MS);
    return () => clearInterval(timer);
  }, [state, createdAt, reload]);
}
