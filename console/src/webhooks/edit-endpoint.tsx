import { type EndpointPartsFragment, UpdateEndpointDocument } from "../api/generated/operations.js";
import { FormDialog } from "../parts/form-dialog.js";
import { useNotice } from "../parts/notices.js";
import { useMutation } from "../session/use-mutation.js";
import { ENDPOINT_FIELDS, EndpointFields, readDraft } from "./endpoint-fields.js";

interface EditEndpointProps {
  readonly endpoint: EndpointPartsFragment;
  readonly onUpdate: () => void;
  readonly onClose: () => void;
}

export function EditEndpoint({ endpoint, onUpdate, onClose }: EditEndpointProps) {
  const update = useMutation(UpdateEndpointDocument);
  const notify = useNotice();

  async function run(fields: FormData) {
    const { draft, errors: known } = readDraft(fields);
    if (known.length > 0) return update.setErrors(known);
    const payload = await update.run({ input: { id: endpoint.id, ...draft } });
    if (!payload?.webhookEndpoint) return;
    notify(`${payload.webhookEndpoint.name} was saved.`);
    onUpdate();
    onClose();
  }
  return (
    <FormDialog
      title={`Edit ${endpoint.name}`}
      action="Save"
      mutation={update}
      fields={ENDPOINT_FIELDS}
      onSubmit={(fields) => void run(fields)}
      onClose={onClose}
    >
      <EndpointFields endpoint={endpoint} errors={update.errors} />
    </FormDialog>
  );
}
