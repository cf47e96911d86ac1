import { useState } from "react";
import { CreateEndpointDocument } from "../api/generated/operations.js";
import { FormDialog } from "../parts/form-dialog.js";
import { SecretDialog } from "../parts/secret-dialog.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
import { ENDPOINT_FIELDS, EndpointFields, readDraft } from "./endpoint-fields.js";

/** Creates an endpoint, shows its secret once, then its page. */
export function NewEndpoint({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const create = useMutation(CreateEndpointDocument);
  const goTo = useGoTo();

  async function run(fields: FormData) {
    const { draft, errors: known } = readDraft(fields);
    if (known.length > 0) return create.setErrors(known);
    const { webhookEndpoint = null, secret = null } = (await create.run({ input: draft })) ?? {};
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
    <FormDialog
      title="New endpoint"
      action="Create endpoint"
      mutation={create}
      fields={ENDPOINT_FIELDS}
      onSubmit={(fields) => void run(fields)}
      onClose={onClose}
    >
      <EndpointFields errors={create.errors} />
    </FormDialog>
  );
}
