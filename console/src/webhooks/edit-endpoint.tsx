import { type EndpointPartsFragment, UpdateEndpointDocument } from "../api/generated/operations.js";
import { otherErrors } from "../api/user-errors.js";
import { Dialog } from "../parts/dialog.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { useFocusOnError } from "../parts/use-focus-on-error.js";
import { useMutation } from "../session/use-mutation.js";
import { EndpointFields, NO_EVENTS, readDraft } from "./endpoint-fields.js";

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
  const form = useFocusOnError(errors.length > 0 && errors);

  async function run(fields: FormData) {
    const draft = readDraft(fields);
    if (!draft) return update.setErrors(NO_EVENTS);
    const payload = await update.run({ input: { id: endpoint.id, ...draft } });
    if (!payload?.webhookEndpoint) return;
    notify(`${payload.webhookEndpoint.name} was saved.`);
    onUpdate();
    onClose();
  }
  return (
    <Dialog title={`Edit ${endpoint.name}`} onClose={onClose}>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void run(new FormData(event.currentTarget));
        }}
      >
        <EndpointFields endpoint={endpoint} errors={errors} />
        <Problem failure={update.failure} errors={otherErrors(errors, ["name", "url"])} />
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={update.isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
