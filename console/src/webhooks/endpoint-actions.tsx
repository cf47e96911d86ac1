import { useState } from "react";
import {
  DeleteEndpointDocument,
  type EndpointPartsFragment,
  RotateSecretDocument,
  SendTestDocument,
  UpdateEndpointDocument,
} from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
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
  const [errors, setErrors] = useState<UserErrors>([]);
  const send = useMutation(SendTestDocument);
  const notify = useNotice();

  async function run() {
    const result = await send.run({ id });
    if (!result) return;
    const { webhookDelivery, userErrors } = result.sendTestWebhook;
    setErrors(userErrors);
    if (webhookDelivery) notify("The test event is being sent.");
    onUpdate();
  }
  return (
    <>
      <button type="button" className="primary" disabled={send.isBusy} onClick={() => void run()}>
        Send test event
      </button>
      <Problem failure={send.failure} errors={errors} />
    </>
  );
}

interface EndpointDialogProps extends EndpointActionsProps {
  readonly onClose: () => void;
}

function Enable({ endpoint: { id, name }, onUpdate }: EndpointActionsProps) {
  const [errors, setErrors] = useState<UserErrors>([]);
  const update = useMutation(UpdateEndpointDocument);
  const notify = useNotice();

  async function run() {
    const result = await update.run({ input: { id, enabled: true } });
    if (!result) return;
    setErrors(result.updateWebhookEndpoint.userErrors);
    if (result.updateWebhookEndpoint.webhookEndpoint) notify(`${name} was enabled.`);
    onUpdate();
  }
  return (
    <>
      <button type="button" className="primary" disabled={update.isBusy} onClick={() => void run()}>
        Enable
      </button>
      <Problem failure={update.failure} errors={errors} />
    </>
  );
}

function Disable({ endpoint: { id, name }, onUpdate, onClose }: EndpointDialogProps) {
  const [errors, setErrors] = useState<UserErrors>([]);
  const update = useMutation(UpdateEndpointDocument);
  const notify = useNotice();

  async function run() {
    const result = await update.run({ input: { id, enabled: false } });
    if (!result) return;
    setErrors(result.updateWebhookEndpoint.userErrors);
    if (!result.updateWebhookEndpoint.webhookEndpoint) return;
    notify(`${name} was disabled.`);
    onUpdate();
    onClose();
  }
  return (
    <ConfirmDialog
      title={`Disable ${name}?`}
      action="Disable"
      isBusy={update.isBusy}
      failure={update.failure}
      errors={errors}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>Events that occur while it is disabled are not sent, not even after it is enabled again.</p>
    </ConfirmDialog>
  );
}

function RotateSecret({ endpoint: { id, name }, onUpdate, onClose }: EndpointDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const [errors, setErrors] = useState<UserErrors>([]);
  const rotate = useMutation(RotateSecretDocument);

  async function run() {
    const result = await rotate.run({ id });
    if (!result) return;
    setErrors(result.rotateWebhookSecret.userErrors);
    setSecret(result.rotateWebhookSecret.secret);
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
      action="Rotate"
      isBusy={rotate.isBusy}
      failure={rotate.failure}
      errors={errors}
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
  const [errors, setErrors] = useState<UserErrors>([]);
  const remove = useMutation(DeleteEndpointDocument);
  const notify = useNotice();
  const goTo = useGoTo();

  async function run() {
    const result = await remove.run({ id });
    if (!result) return;
    const { deletedWebhookEndpointId, userErrors } = result.deleteWebhookEndpoint;
    setErrors(userErrors);
    if (deletedWebhookEndpointId === null) return;
    notify(`${name} was deleted.`);
    goTo(hashOf(["webhooks"]));
  }
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete"
      typed={name}
      isBusy={remove.isBusy}
      failure={remove.failure}
      errors={errors}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>The endpoint receives nothing more, and its deliveries are deleted. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
