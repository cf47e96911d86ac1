import { useState } from "react";
import {
  CreateEndpointDocument,
  type EndpointPartsFragment,
  UpdateEndpointDocument,
} from "../api/generated/operations.js";
import { isConflict } from "../api/user-errors.js";
import { FormDialog } from "../parts/form-dialog.js";
import { useShowSecret } from "../parts/new-secret.js";
import { useNotice } from "../parts/notices.js";
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
  const showSecret = useShowSecret();
  /** Of the values that the dialog began with. */
  const [expectedVersion] = useState(endpoint?.version);
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
      if (!webhookEndpoint || secret === null) return;
      showSecret("endpoint", secret);
      return goTo(hashOf(["webhooks", webhookEndpoint.id]));
    }
    const payload = await update.run({ input: { id: endpoint.id, expectedVersion, ...draft } });
    if (payload && isConflict(payload.userErrors)) onUpdate?.();
    if (!payload?.webhookEndpoint) return;
    notify(`${payload.webhookEndpoint.name} was saved.`);
    onUpdate?.();
    onClose();
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
