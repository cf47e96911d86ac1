import { type EndpointPartsFragment, UpdateEndpointDocument } from "../api/generated/operations.js";
import { otherErrors } from "../api/user-errors.js";
import { Dialog } from "../parts/dialog.js";
import { Form } from "../parts/form.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { useMutation } from "../session/use-mutation.js";
import { ENDPOINT_FIELDS, EndpointFields, readDraft } from "./endpoint-fields.js";

interface EditEndpointProps {
  readonly endpoint: EndpointPartsFragment;
  readonly onUpdate: () => void;
  readonly onClose: () => void;
}

/** Changes an endpoint's name, URL and events. */
export function EditEndpoint({ endpoint, onUpdate, onClose }: EditEndpointProps) {
  const update = useMutation(UpdateEndpointDocument);
  const { errors } = update;
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
    <Dialog title={`Edit ${endpoint.name}`} onClose={onClose}>
      <Form errors={errors} onSubmit={(fields) => void run(fields)}>
        <EndpointFields endpoint={endpoint} errors={errors} />
        <Problem failure={update.failure} errors={otherErrors(errors, ENDPOINT_FIELDS)} />
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" aria-disabled={update.isBusy}>
            Save
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
