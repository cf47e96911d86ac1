import { useState } from "react";
import {
  DeleteEndpointDocument,
  type EndpointPartsFragment,
  RotateSecretDocument,
  SendTestDocument,
  UpdateEndpointDocument,
} from "../api/generated/operations.js";
import { MutationDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { SecretDialog } from "../parts/secret-dialog.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
import { EditEndpoint } from "./edit-endpoint.js";

interface EndpointActionsProps {
  readonly endpoint: EndpointPartsFragment;
  /** Called after a change. */
  readonly onUpdate: () => void;
}

type OpenDialog = "edit" | "disable" | "rotate" | "delete";

/** The actions on an endpoint, next to its heading. */
export function EndpointActions({ endpoint, onUpdate }: EndpointActionsProps) {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const close = () => setOpen(null);
  const dialog = { endpoint, onUpdate, onClose: close };
  const isEnabled = endpoint.disabledAt === null;
  return (
    <>
      {isEnabled ? <SendTest endpoint={endpoint} onUpdate={onUpdate} /> : <Enable {...dialog} />}
      <button type="button" onClick={() => setOpen("edit")}>
        Edit…
      </button>
      <button type="button" onClick={() => setOpen("rotate")}>
        Rotate secret…
      </button>
      {isEnabled && (
        <button type="button" onClick={() => setOpen("disable")}>
          Disable…
        </button>
      )}
      <button type="button" className="danger" onClick={() => setOpen("delete")}>
        Delete…
      </button>
      {open === "edit" && <EditEndpoint {...dialog} />}
      {open === "disable" && <Disable {...dialog} />}
      {open === "rotate" && <RotateSecret {...dialog} />}
      {open === "delete" && <Delete {...dialog} />}
    </>
  );
}

function SendTest({ endpoint: { id }, onUpdate }: EndpointActionsProps) {
  const send = useMutation(SendTestDocument);
  const notify = useNotice();

  async function run() {
    const payload = await send.run({ id });
    if (!payload) return;
    if (payload.webhookDelivery) notify("The test event is being sent.");
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

interface EndpointDialogProps extends EndpointActionsProps {
  readonly onClose: () => void;
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

function Disable({ endpoint: { id, name }, onUpdate, onClose }: EndpointDialogProps) {
  return (
    <MutationDialog
      title={`Disable ${name}?`}
      action="Disable endpoint"
      document={UpdateEndpointDocument}
      variables={{ input: { id, enabled: false } }}
      notice={`${name} was disabled.`}
      onDone={() => {
        onUpdate();
        onClose();
      }}
      onClose={onClose}
    >
      <p>Events that occur while it is disabled are not sent, not even after it is enabled again.</p>
    </MutationDialog>
  );
}

function RotateSecret({ endpoint: { id, name }, onUpdate, onClose }: EndpointDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) {
    return (
      <SecretDialog title="Secret rotated" label="Signing secret" secret={secret} onClose={onClose}>
        <p>
          Your server verifies the signatures of requests with it. For a day, they are signed with the old
          secret too.
        </p>
      </SecretDialog>
    );
  }
  return (
    <MutationDialog
      title={`Rotate the secret of ${name}?`}
      action="Rotate secret"
      isHarmless
      document={RotateSecretDocument}
      variables={{ id }}
      onDone={(payload) => {
        setSecret(payload.secret);
        onUpdate();
      }}
      onClose={onClose}
    >
      <p>
        A new secret replaces the current one. For a day, requests are signed with both, so that your server
        can switch.
      </p>
    </MutationDialog>
  );
}

function Delete({ endpoint: { id, name }, onClose }: EndpointDialogProps) {
  const goTo = useGoTo();
  return (
    <MutationDialog
      title={`Delete ${name}?`}
      action="Delete endpoint"
      typed={name}
      document={DeleteEndpointDocument}
      variables={{ id }}
      notice={`${name} was deleted.`}
      onDone={() => goTo(hashOf(["webhooks"]))}
      onClose={onClose}
    >
      <p>The endpoint receives nothing more, and its deliveries are deleted. This cannot be undone.</p>
    </MutationDialog>
  );
}
