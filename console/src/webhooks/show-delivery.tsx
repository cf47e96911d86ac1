import { type DeliveryPartsFragment, ReplayDeliveryDocument } from "../api/generated/operations.js";
import { CodeBlock } from "../parts/code-block.js";
import { Dialog } from "../parts/dialog.js";
import { Fact } from "../parts/facts.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { Time } from "../parts/time.js";
import { useMutation } from "../session/use-mutation.js";
import { EVENTS } from "./events.js";
import { DeliveryState, responseOf } from "./status.js";

interface ShowDeliveryProps {
  readonly delivery: DeliveryPartsFragment;
  readonly onReplayed: () => void;
  readonly onClose: () => void;
}

/** A delivery with its payload, attempts and response, which can be sent again. */
export function ShowDelivery({ delivery, onReplayed, onClose }: ShowDeliveryProps) {
  const replay = useMutation(ReplayDeliveryDocument);
  const notify = useNotice();

  async function run() {
    const payload = await replay.run({ id: delivery.id });
    if (!payload?.webhookDelivery) return;
    notify(
      payload.webhookDelivery.attempts === 0
        ? "The event is sent now."
        : "The event is being sent, or follows within 30 seconds.",
    );
    onReplayed();
    onClose();
  }
  return (
    <Dialog title={EVENTS[delivery.event]} isWide onClose={onClose}>
      <Facts delivery={delivery} />
      <h3>Payload</h3>
      <p className="fine">Formatted. The signature covers the body as your server received it.</p>
      <CodeBlock label="payload" code={JSON.stringify(delivery.payload, null, 2)} />
      <Problem failure={replay.failure} errors={replay.errors} />
      <div className="actions end">
        <button type="button" onClick={onClose}>
          Close
        </button>
        <button
          type="button"
          className="primary"
          aria-disabled={replay.isBusy}
          onClick={() => void (replay.isBusy || run())}
        >
          {delivery.state === "DELIVERED" ? "Send again" : "Retry now"}
        </button>
      </div>
    </Dialog>
  );
}

function Facts({ delivery }: { readonly delivery: DeliveryPartsFragment }) {
  const { attempts, nextAttemptAt, lastStatus, lastError, createdAt, deliveredAt, eventId } = delivery;
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
      {lastStatus !== null && lastError !== null && <Fact label="Error">{lastError}</Fact>}
      <Fact label="Event ID (webhook-id)" isWhole>
        <code>{eventId}</code>
      </Fact>
    </dl>
  );
}
