import { useState } from "react";
import { CreateEmbedSessionDocument, type GroupPartsFragment } from "../api/generated/operations.js";
import { errorAt } from "../api/user-errors.js";
import { Field } from "../parts/field.js";
import { FormDialog } from "../parts/form-dialog.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
import { parseProperties } from "./group-draft.js";

const LIFETIMES = { "5 minutes": 300, "15 minutes": 900, "1 hour": 3600, "24 hours": 86_400 };

interface EmbedSessionProps {
  readonly group: GroupPartsFragment;
  readonly onCreated: (session: string) => void;
}

/** Creates an embed session with variables and a lifetime, to try a dashboard with. */
export function EmbedSession(props: EmbedSessionProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        New embed session…
      </button>
      <a className="button" href={hashOf(["check-session"], { group: props.group.providedId })}>
        Why does the embed show nothing?
      </a>
      {isOpen && <NewEmbedSession {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

interface NewEmbedSessionProps extends EmbedSessionProps {
  readonly onClose: () => void;
}

function NewEmbedSession({ group: { id, name }, onCreated, onClose }: NewEmbedSessionProps) {
  const [seconds, setSeconds] = useState(900);
  const [text, setText] = useState("");
  const create = useMutation(CreateEmbedSessionDocument);
  const { errors } = create;
  const { value: variables, parseError } = parseProperties(text);

  async function run() {
    const input = { by: { id }, expiresInSeconds: seconds, ...(variables ? { variables } : {}) };
    const payload = await create.run({ input });
    if (!payload?.token) return;
    onCreated(payload.token);
    onClose();
  }
  return (
    <FormDialog
      title={`New embed session for ${name}`}
      action="Create embed session"
      mutation={create}
      fields={["expiresInSeconds", "variables"]}
      isInvalid={parseError !== undefined}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <Field label="Valid for" error={errorAt(errors, "expiresInSeconds")}>
        {(control) => (
          <select {...control} value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
            {Object.entries(LIFETIMES).map(([label, value]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Variables"
        hint="A JSON object that takes precedence over the properties. Optional."
        error={parseError ?? errorAt(errors, "variables")}
      >
        {(control) => (
          <textarea
            {...control}
            className="code"
            rows={4}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
