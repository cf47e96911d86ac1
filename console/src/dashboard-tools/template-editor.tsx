import { useState } from "react";
import { ReferenceSampleDocument, type TemplatePartsFragment } from "../api/generated/operations.js";
import { CloseAction, Dialog } from "../parts/dialog.js";
import { Loaded } from "../parts/loaded.js";
import { useNotice } from "../parts/notices.js";
import { OnDemand } from "../parts/on-demand.js";
import { Skeleton } from "../parts/skeleton.js";
import { useQuery } from "../session/use-query.js";
import type { TemplateFormProps } from "./template-form.js";

interface TemplateEditorProps extends Pick<TemplateFormProps, "start" | "template" | "onConflict"> {
  /** Called once the warnings, if any, have been read. */
  readonly onDone: (template: TemplatePartsFragment) => void;
}

/** The form of a session template with the references of the environment; it is loaded on demand. Shows warnings after saving. */
export function TemplateEditor({ onDone, ...form }: TemplateEditorProps) {
  const sample = useQuery(ReferenceSampleDocument, {});
  const notify = useNotice();
  const [saved, setSaved] = useState<{
    readonly template: TemplatePartsFragment;
    readonly warnings: readonly string[];
  } | null>(null);

  function finish(template: TemplatePartsFragment) {
    setSaved(null);
    notify(`${template.name} was saved.`);
    onDone(template);
  }
  const onSaved: TemplateFormProps["onSaved"] = (template, warnings) =>
    warnings.length > 0 ? setSaved({ template, warnings }) : finish(template);
  return (
    <>
      <Loaded query={sample}>
        {({ userGroups: { nodes: groups } }) => (
          <OnDemand
            load={loadForm}
            props={{ ...form, groups, onSaved }}
            placeholder={<Skeleton lines={10} />}
          />
        )}
      </Loaded>
      {saved && (
        <Dialog title={`${saved.template.name} was saved`} onClose={() => finish(saved.template)}>
          {saved.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
          <CloseAction onClose={() => finish(saved.template)} />
        </Dialog>
      )}
    </>
  );
}

async function loadForm() {
  return (await import("./template-form.js")).TemplateForm;
}
