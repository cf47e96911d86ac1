import {
  DeliveryDocument,
  type DeliveryPartsFragment,
  ReplayDeliveryDocument,
} from "../api/generated/operations.js";
import { CodeBlock } from "../parts/code-block.js";
import { Dialog } from "../parts/dialog.js";
import { Loaded } from "../parts/loaded.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { Time } from "../parts/time.js";
import { useMutation } from "../session/use-mutation.js";
import { useQuery } from "../session/use-query.js";
import { EVENTS } from "./events.js";
import { DeliveryState, responseOf } from "./status.js";

interface ShowDeliveryProps {
  /** The delivery's global ID. */
  readonly id: string;
  readonly onReplayed: () => void;
  readonly onClose: () => void;
}

/** A delivery with its payload, attempts and response, which can be sent again. */
export function ShowDelivery({ id, onReplayed, onClose }: ShowDeliveryProps) {
  const query = useQuery(DeliveryDocument, { id });
  const replay = useMutation(ReplayDeliveryDocument);
  const notify = useNotice();
  const node = query.data?.node;
  const delivery = node?.__typename === "WebhookDelivery" ? node : null;

  async function run() {
    const payload = await replay.run({ id });
    if (!payload?.webhookDelivery) return;
    notify("The delivery is being sent again.");
    onReplayed();
    onClose();
  }
  return (
    <Dialog title={delivery ? EVENTS[delivery.event] : "Delivery"} isWide onClose={onClose}>
      <Loaded query={query}>
        {() =>
          delivery ? (
            <>
              <Facts delivery={delivery} />
              <h3>Payload</h3>
              <p className="fine">Formatted. The signature covers the body as your server received it.</p>
              <CodeBlock label="payload" code={JSON.stringify(delivery.payload, null, 2)} />
            </>
          ) : (
            <p>The delivery has been deleted.</p>
          )
        }
      </Loaded>
      <Problem failure={replay.failure} errors={replay.errors} />
      <div className="actions end">
        <button type="button" onClick={onClose}>
          Close
        </button>
        {delivery && delivery.state !== "PENDING" && (
          <button type="button" className="primary" aria-disabled={replay.isBusy} onClick={() => void run()}>
            Send again
          </button>
        )}
      </div>
    </Dialog>
  );
}

function Facts({ delivery }: { readonly delivery: DeliveryPartsFragment }) {
  const { attempts, nextAttemptAt, lastError, createdAt, deliveredAt, eventId } = delivery;
  return (
    <dl className="facts">
      <div>
        <dt>Status</dt>
        <dd>
          <DeliveryState delivery={delivery} />
        </dd>
      </div>
      <div>
        <dt>Response</dt>
        <dd>{responseOf(delivery)}</dd>
      </div>
      <div>
        <dt>Attempts</dt>
        <dd>{attempts}</dd>
      </div>
      <div className="whole">
        <dt>Type</dt>
        <dd>
          <code>{String(Object(delivery.payload)["type"])}</code>
        </dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </div>
      {deliveredAt !== null && (
        <div>
          <dt>Delivered</dt>
          <dd>
            <Time at={deliveredAt} />
          </dd>
        </div>
      )}
      {nextAttemptAt !== null && (
        <div>
          <dt>Next attempt, at the earliest</dt>
          <dd>
            <Time at={nextAttemptAt} />
          </dd>
        </div>
      )}
      {lastError !== null && (
        <div>
          <dt>Error</dt>
          <dd>{lastError}</dd>
        </div>
      )}
      <div className="whole">
        <dt>Event ID (webhook-id)</dt>
        <dd>
          <code>{eventId}</code>
        </dd>
      </div>
    </dl>
  );
}
