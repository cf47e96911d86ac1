import { useState } from "react";
import { CreateEndpointDocument } from "../api/generated/operations.js";
import { otherErrors } from "../api/user-errors.js";
import { Dialog } from "../parts/dialog.js";
import { Problem } from "../parts/problem.js";
import { SecretDialog } from "../parts/secret-dialog.js";
import { useFocusOnError } from "../parts/use-focus-on-error.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
import { EndpointFields, NO_EVENTS, readDraft } from "./endpoint-fields.js";

interface NewEndpointProps {
  readonly onClose: () => void;
}

/** Creates an endpoint, shows its secret once, then its page. */
export function NewEndpoint({ onClose }: NewEndpointProps) {
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const create = useMutation(CreateEndpointDocument);
  const { errors } = create;
  const goTo = useGoTo();
  const form = useFocusOnError(errors.length > 0 && errors);

  async function run(fields: FormData) {
    const input = readDraft(fields);
    if (!input) return create.setErrors(NO_EVENTS);
    const { webhookEndpoint = null, secret = null } = (await create.run({ input })) ?? {};
    if (webhookEndpoint && secret !== null) setCreated({ id: webhookEndpoint.id, secret });
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
    <Dialog title="New webhook endpoint" onClose={onClose}>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void run(new FormData(event.currentTarget));
        }}
      >
        <EndpointFields errors={errors} />
        <Problem failure={create.failure} errors={otherErrors(errors, ["name", "url"])} />
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={create.isBusy}>
            Create endpoint
          </button>
        </div>
      </form>
    </Dialog>
  );
}
