import { useState } from "react";
import {
  CreateEndpointDocument,
  type EndpointPartsFragment,
  UpdateEndpointDocument,
} from "../api/generated/operations.js";
import { FormDialog } from "../parts/form-dialog.js";
import { useNotice } from "../parts/notices.js";
import { SecretDialog } from "../parts/secret-dialog.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
import { ENDPOINT_FIELDS, EndpointFields, readDraft } from "./endpoint-fields.js";

interface EndpointDialogProps {
  /** The endpoint to edit; without it, one is created, and its secret is shown once, then its page. */
  readonly endpoint?: EndpointPartsFragment;
  readonly onUpdate?: () => void;
  readonly onClose: () => void;
}

export function EndpointDialog({ endpoint, onUpdate, onClose }: EndpointDialogProps) {
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const create = useMutation(CreateEndpointDocument);
  const update = useMutation(UpdateEndpointDocument);
  const mutation = endpoint ? update : create;
  const goTo = useGoTo();
  const notify = useNotice();

  async function save(fields: FormData) {
    const { draft, errors } = readDraft(fields);
    if (errors.length > 0) return mutation.setErrors(errors);
    if (!endpoint) {
      const { webhookEndpoint = null, secret = null } = (await create.run({ input: draft })) ?? {};
      if (webhookEndpoint && secret !== null) setCreated({ id: webhookEndpoint.id, secret });
      return;
    }
    const payload = await update.run({ input: { id: endpoint.id, ...draft } });
    if (!payload?.webhookEndpoint) return;
    notify(`${payload.webhookEndpoint.name} was saved.`);
    onUpdate?.();
    onClose();
  }
  if (created) {
    const { id, secret } = created;
    return (
      <SecretDialog
        title="Endpoint created"
        label="Signing secret"
        secret={secret}
        onClose={() => goTo(hashOf(["webhooks", id]))}
      >
        <p>Your server verifies the signatures of requests with it.</p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title={endpoint ? `Edit ${endpoint.name}` : "New endpoint"}
      action={endpoint ? "Save" : "Create endpoint"}
      mutation={mutation}
      fields={ENDPOINT_FIELDS}
      onSubmit={(fields) => void save(fields)}
      onClose={onClose}
    >
      <EndpointFields {...(endpoint && { endpoint })} errors={mutation.errors} />
    </FormDialog>
  );
}
