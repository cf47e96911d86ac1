import { useRef } from "react";
import { type ApiKeyScope, type CreateApiKeyInput, CreateKeyDocument } from "../api/generated/operations.js";
import { errorAt } from "../api/user-errors.js";
import { Field, TextField } from "../parts/field.js";
import { FormDialog } from "../parts/form-dialog.js";
import { useShowSecret } from "../parts/new-secret.js";
import { useSession } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";

/** Rights of each scope, which includes those before it. */
const SCOPES: Readonly<Record<ApiKeyScope, string>> = {
  READ: "Reads groups, data sources and sites, without tokens.",
  EMBED: "Everything in read, plus tokens and embed sessions: for a server that embeds dashboards.",
  WRITE: "Everything in embed, plus changes of groups, mappings, data sources and sites.",
  ADMIN: "Everything in write, plus API keys, webhooks and the audit log.",
};
const DAY_MS = 86_400_000;

interface NewKeyProps {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

/** Creates an API key and shows its secret once. */
export function NewKey({ onCreated, onClose }: NewKeyProps) {
  const { viewer } = useSession();
  const environment = viewer.environment === "CUSTOMER" ? "Customer" : "Testing";
  const showSecret = useShowSecret();
  const create = useMutation(CreateKeyDocument);
  const { errors } = create;
  // Reuse the input of a pending request: a newly computed expiry time would change the request and defeat the idempotency key.
  const pending = useRef<{ readonly formState: string; readonly input: CreateApiKeyInput } | null>(null);

  async function createKey(fields: FormData) {
    const formState = JSON.stringify([...fields]);
    const input = pending.current?.formState === formState ? pending.current.input : toInput(fields);
    pending.current = { formState, input };
    const payload = await create.run({ input });
    if (!payload) return;
    pending.current = null;
    if (payload.secret === null) return;
    showSecret("apiKey", payload.secret);
    onCreated();
    onClose();
  }
  return (
    <FormDialog
      title={`New API key for the ${environment} environment`}
      action="Create API key"
      mutation={create}
      fields={["name", "expiresAt"]}
      onSubmit={(fields) => void createKey(fields)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Purpose of the key, shown in lists."
        error={errorAt(errors, "name")}
        name="name"
      />
      <fieldset className="choices">
        <legend>Scope</legend>
        {Object.entries(SCOPES).map(([scope, description]) => (
          <label key={scope}>
            <input type="radio" name="scope" value={scope} defaultChecked={scope === "READ"} />
            <span>
              {scope.toLowerCase()}
              <span className="fine below">{description}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field
        label="Expires after"
        hint="Requests with the key are refused after that."
        error={errorAt(errors, "expiresAt")}
      >
        {(control) => (
          <select {...control} name="days" defaultValue="90">
            <option value="7">7 days</option>
            <option value="30">30 days</option>
            <option value="90">90 days</option>
            <option value="365">1 year</option>
            <option value="">Never</option>
          </select>
        )}
      </Field>
    </FormDialog>
  );
}

function toInput(fields: FormData): CreateApiKeyInput {
  const days = Number(fields.get("days"));
  const expiry = days > 0 ? { expiresAt: new Date(Date.now() + days * DAY_MS).toISOString() } : {};
  const scope =
    (["READ", "EMBED", "WRITE", "ADMIN"] as const).find((each) => each === fields.get("scope")) ?? "READ";
  return { name: String(fields.get("name")), scope, ...expiry };
}
