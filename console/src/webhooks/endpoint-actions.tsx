import { useState } from "react";
import {
  DeleteEndpointDocument,
  type EndpointPartsFragment,
  RotateSecretDocument,
  SendTestDocument,
  type SendTestMutation,
  UpdateEndpointDocument,
} from "../api/generated/operations.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { useShowSecret } from "../parts/new-secret.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
import { EnableEndpoint } from "./enable-endpoint.js";
import { EndpointDialog } from "./endpoint-dialog.js";

interface EndpointActionsProps {
  readonly endpoint: EndpointPartsFragment;
  readonly onUpdate: () => void;
}

export function EndpointActions(props: EndpointActionsProps) {
  const { endpoint, onUpdate } = props;
  const { id, name, disabledAt } = endpoint;
  const [isEditing, setEditing] = useState(false);
  const goTo = useGoTo();
  const isEnabled = disabledAt === null;
  return (
    <>
      {isEnabled ? (
        <SendTest {...props} />
      ) : (
        <EnableEndpoint id={id} label="Enable" notice={`${name} was enabled.`} onDone={onUpdate} />
      )}
      <button type="button" onClick={() => setEditing(true)}>
        Edit…
      </button>
      <RotateSecret {...props} />
      {isEnabled && (
        <MutationButton
          label="Disable…"
          title={`Disable ${name}?`}
          action="Disable endpoint"
          document={UpdateEndpointDocument}
          variables={{ input: { id, enabled: false } }}
          notice={`${name} was disabled.`}
          onDone={onUpdate}
        >
          <p>Events that occur while it is disabled are not sent, not even after it is enabled again.</p>
        </MutationButton>
      )}
      <MutationButton
        label="Delete…"
        title={`Delete ${name}?`}
        action="Delete endpoint"
        typed={name}
        document={DeleteEndpointDocument}
        variables={{ id }}
        notice={`${name} was deleted.`}
        onDone={() => goTo(hashOf(["webhooks"]))}
      >
        <p>The endpoint receives nothing more, and its deliveries are deleted. This cannot be undone.</p>
      </MutationButton>
      {isEditing && (
        <EndpointDialog endpoint={endpoint} onUpdate={onUpdate} onClose={() => setEditing(false)} />
      )}
    </>
  );
}

function SendTest({ endpoint: { id }, onUpdate }: EndpointActionsProps) {
  // The outcome is known once the delivery was committed and sent.
  const send = useMutation(SendTestDocument, { mayRepeat: true });
  const notify = useNotice();

  async function run() {
    const payload = await send.run({ id });
    if (!payload) return;
    const { webhookDelivery } = payload;
    if (webhookDelivery) notify(outcomeOf(payload), undefined, webhookDelivery.state === "DEAD");
    onUpdate();
  }
  return (
    <>
      <button
        type="button"
        className="primary"
        aria-disabled={send.isBusy}
        onClick={() => void (send.isBusy || run())}
      >
        {send.isBusy ? "Sending…" : "Send test event"}
      </button>
      <Problem failure={send.failure} errors={send.errors} />
    </>
  );
}

/** What happened to a test event: "The test event was accepted after 32 ms: status 204." */
function outcomeOf({ webhookDelivery, durationMs, reply }: SendTestMutation["sendTestWebhook"]): string {
  if (durationMs === null)
    return "A test event is already being sent, or waits for another process of the service.";
  const { state, lastStatus, lastError } = webhookDelivery ?? {};
  const verb = state === "DELIVERED" ? "was accepted" : "failed";
  const answer = typeof lastStatus === "number" ? `status ${lastStatus}` : lastError?.replace(/\.$/, "");
  return `The test event ${verb} after ${durationMs.toLocaleString()} ms: ${answer}.${reply ? ` Reply: “${reply}”` : ""}`;
}

function RotateSecret({ endpoint: { id, name }, onUpdate }: EndpointActionsProps) {
  const showSecret = useShowSecret();
  return (
    <MutationButton
      label="Rotate secret…"
      title={`Rotate the secret of ${name}?`}
      action="Rotate secret"
      isHarmless
      document={RotateSecretDocument}
      variables={{ id }}
      onDone={({ secret }) => {
        if (secret !== null) showSecret("rotation", secret);
        onUpdate();
      }}
    >
      <p>
        A new secret replaces the current one. For a day, requests are signed with both, so that your server
        can switch.
      </p>
    </MutationButton>
  );
}
