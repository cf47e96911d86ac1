import { useState } from "react";
import {
  DeleteEndpointDocument,
  type EndpointPartsFragment,
  RotateSecretDocument,
  SendTestDocument,
  UpdateEndpointDocument,
} from "../api/generated/operations.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { SecretDialog } from "../parts/secret-dialog.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
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
      {isEnabled ? <SendTest {...props} /> : <Enable {...props} />}
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
  const send = useMutation(SendTestDocument);
  const notify = useNotice();

  async function run() {
    const payload = await send.run({ id });
    if (!payload) return;
    if (payload.webhookDelivery) notify("The test event was queued.");
    onUpdate();
  }
  return (
    <>
      <button type="button" className="primary" aria-disabled={send.isBusy} onClick={() => void run()}>
        Send test event
      </button>
      <Problem failure={send.failure} errors={send.errors} />
    </>
  );
}

function Enable({ endpoint: { id, name }, onUpdate }: EndpointActionsProps) {
  const update = useMutation(UpdateEndpointDocument);
  const notify = useNotice();

  async function run() {
    const payload = await update.run({ input: { id, enabled: true } });
    if (!payload) return;
    if (payload.webhookEndpoint) notify(`${name} was enabled.`);
    onUpdate();
  }
  return (
    <>
      <button type="button" className="primary" aria-disabled={update.isBusy} onClick={() => void run()}>
        Enable
      </button>
      <Problem failure={update.failure} errors={update.errors} />
    </>
  );
}

function RotateSecret({ endpoint: { id, name }, onUpdate }: EndpointActionsProps) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <MutationButton
        label="Rotate secret…"
        title={`Rotate the secret of ${name}?`}
        action="Rotate secret"
        isHarmless
        document={RotateSecretDocument}
        variables={{ id }}
        onDone={(payload) => {
          setSecret(payload.secret);
          onUpdate();
        }}
      >
        <p>
          A new secret replaces the current one. For a day, requests are signed with both, so that your server
          can switch.
        </p>
      </MutationButton>
      {secret !== null && (
        <SecretDialog
          title="Secret rotated"
          label="Signing secret"
          secret={secret}
          onClose={() => setSecret(null)}
        >
          <p>
            Your server verifies the signatures of requests with it. For a day, they are signed with the old
            secret too.
          </p>
        </SecretDialog>
      )}
    </>
  );
}
