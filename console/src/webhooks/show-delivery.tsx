import {
  DeliveryDocument,
  type DeliveryPartsFragment,
  ReplayDeliveryDocument,
} from "../api/generated/operations.js";
import { CodeBlock } from "../parts/code-block.js";
import { Dialog } from "../parts/dialog.js";
import { Fact } from "../parts/facts.js";
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
      <Fact label="Status">
        <DeliveryState delivery={delivery} />
      </Fact>
      <Fact label="Response">{responseOf(delivery)}</Fact>
      <Fact label="Attempts">{attempts}</Fact>
      <Fact label="Type" isWhole>
        <code>{String(Object(delivery.payload)["type"])}</code>
      </Fact>
      <Fact label="Created">
        <Time at={createdAt} />
      </Fact>
      {deliveredAt !== null && (
        <Fact label="Delivered">
          <Time at={deliveredAt} />
        </Fact>
      )}
      {nextAttemptAt !== null && (
        <Fact label="Next attempt, at the earliest">
          <Time at={nextAttemptAt} />
        </Fact>
      )}
      {lastError !== null && <Fact label="Error">{lastError}</Fact>}
      <Fact label="Event ID (webhook-id)" isWhole>
        <code>{eventId}</code>
      </Fact>
    </dl>
  );
}
