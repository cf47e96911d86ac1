import { useState } from "react";
import {
  DeleteEndpointDocument,
  type EndpointPartsFragment,
  RotateSecretDocument,
  SendTestDocument,
  UpdateEndpointDocument,
} from "../api/generated/operations.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
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
  const update = useMutation(UpdateEndpointDocument);
  const notify = useNotice();

  async function run() {
    const payload = await update.run({ input: { id, enabled: false } });
    if (!payload?.webhookEndpoint) return;
    notify(`${name} was disabled.`);
    onUpdate();
    onClose();
  }
  return (
    <ConfirmDialog
      title={`Disable ${name}?`}
      action="Disable endpoint"
      mutation={update}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>Events that occur while it is disabled are not sent, not even after it is enabled again.</p>
    </ConfirmDialog>
  );
}

function RotateSecret({ endpoint: { id, name }, onUpdate, onClose }: EndpointDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useMutation(RotateSecretDocument);

  async function run() {
    const payload = await rotate.run({ id });
    if (!payload) return;
    setSecret(payload.secret);
    onUpdate();
  }
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
    <ConfirmDialog
      title={`Rotate the secret of ${name}?`}
      action="Rotate secret"
      isHarmless
      mutation={rotate}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>
        A new secret replaces the current one. For a day, requests are signed with both, so that your server
        can switch.
      </p>
    </ConfirmDialog>
  );
}

function Delete({ endpoint: { id, name }, onClose }: EndpointDialogProps) {
  const remove = useMutation(DeleteEndpointDocument);
  const notify = useNotice();
  const goTo = useGoTo();

  async function run() {
    const payload = await remove.run({ id });
    if (!payload?.deletedWebhookEndpointId) return;
    notify(`${name} was deleted.`);
    goTo(hashOf(["webhooks"]));
  }
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete endpoint"
      typed={name}
      mutation={remove}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>The endpoint receives nothing more, and its deliveries are deleted. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
