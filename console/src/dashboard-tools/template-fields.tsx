import type { SecretEncoding, SessionAlgorithm, TemplatePartsFragment } from "../api/generated/operations.js";
import { errorAt, type UserErrors } from "../api/user-errors.js";
import { Choice } from "../parts/choice.js";
import { Field, TextField } from "../parts/field.js";
import { needsSecret, type TemplateDraft } from "./template-draft.js";

const ALGORITHMS: Readonly<Record<SessionAlgorithm, string>> = {
  ES256: "ES256, with a key of this service",
  HS256: "HS256, with the tool's secret",
};
const ENCODINGS: Readonly<Record<SecretEncoding, string>> = { TEXT: "Text", BASE64: "Base64" };

interface TemplateFieldsProps {
  readonly draft: TemplateDraft;
  /** The template as the service has it; undefined for a new one. */
  readonly saved: TemplatePartsFragment | undefined;
  readonly errors: UserErrors;
  readonly onChange: (draft: TemplateDraft) => void;
}

/** The fields of a session template apart from its claims. */
export function TemplateFields({ draft, saved, errors, onChange }: TemplateFieldsProps) {
  const text = (field: "name" | "description" | "lifetimeSeconds" | "url") => ({
    error: errorAt(errors, field),
    value: draft[field],
    onChange: (value: string) => onChange({ ...draft, [field]: value }),
  });
  return (
    <>
      <TextField
        label="Name"
        hint="Your server asks for tokens by it: a to z, 0 to 9 and -."
        spellCheck={false}
        {...text("name")}
      />
      <TextField label="Description" required={false} {...text("description")} />
      <Field label="Signed with" error={errorAt(errors, "algorithm")}>
        {(control) => (
          <Choice
            {...control}
            choices={ALGORITHMS}
            value={draft.algorithm}
            onChange={(algorithm) => onChange({ ...draft, algorithm })}
          />
        )}
      </Field>
      {draft.algorithm === "HS256" && (
        <SharedSecret draft={draft} saved={saved} errors={errors} onChange={onChange} />
      )}
      <TextField
        label="Lifetime in seconds"
        hint="60 to 86,400. Nothing ends a token earlier."
        type="number"
        min={60}
        max={86_400}
        {...text("lifetimeSeconds")}
      />
      <TextField
        label="URL"
        hint="The https address of the tool's frame, with {{ token }} once. Optional."
        required={false}
        spellCheck={false}
        {...text("url")}
      />
    </>
  );
}

/** The secret, which is never shown, and the members of the header that tools with a secret may ask for. */
function SharedSecret({ draft, saved, errors, onChange }: TemplateFieldsProps) {
  const isNeeded = needsSecret(draft, saved);
  const hint = isNeeded
    ? saved
      ? "Send it again: the algorithm or the origin of the URL has changed."
      : "At least 16 bytes. It is encrypted and cannot be shown again."
    : "Leave empty to keep the saved one, which cannot be shown. Another algorithm or origin of the URL asks for it again.";
  return (
    <>
      <TextField
        label="Secret"
        hint={hint}
        error={errorAt(errors, "secret")}
        type="password"
        autoComplete="new-password"
        required={isNeeded}
        value={draft.secret}
        onChange={(secret) => onChange({ ...draft, secret })}
      />
      <Field label="The secret is written as">
        {(control) => (
          <Choice
            {...control}
            choices={ENCODINGS}
            value={draft.secretEncoding}
            onChange={(secretEncoding) => onChange({ ...draft, secretEncoding })}
          />
        )}
      </Field>
      {(["kid", "iss"] as const).map((member) => (
        <TextField
          key={member}
          label={`${member} in the header`}
          hint="Constant, only if the tool asks for it."
          error={errorAt(errors, "header", member)}
          required={false}
          spellCheck={false}
          value={draft[member]}
          onChange={(value) => onChange({ ...draft, [member]: value })}
        />
      ))}
    </>
  );
}
