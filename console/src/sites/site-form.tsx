import { useState } from "react";
import { PutSiteDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { isConflict } from "../api/user-errors.js";
import { Form } from "../parts/form.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { useUnsaved } from "../routing/navigation.js";
import { useScope } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";
import { fromField, toField } from "./line-ends.js";
import type { SiteProps } from "./site-actions.js";
import { SiteEditor } from "./site-editor.js";

interface SiteFormProps extends SiteProps {
  /** Called when another client has changed the site: `site` must be loaded again. */
  readonly onConflict: () => void;
}

/** Edits a site configuration. Changes by other clients are not overwritten without confirmation. */
export function SiteForm({ site, onUpdate, onConflict }: SiteFormProps) {
  const [base, setBase] = useState(site);
  const [typed, setTyped] = useState(() => toField(site.text));
  const put = useMutation(PutSiteDocument);
  const { errors, setErrors } = put;
  const canWrite = useScope("WRITE");
  const notify = useNotice();
  const text = fromField(typed, base.text);
  const isDirty = text !== base.text;
  useUnsaved(isDirty);

  if (site !== base && !isDirty) startFrom(site);
  // Loaded again, or its visibility was changed: what is shown of a conflict stays.
  else if (site !== base && site.revision === base.revision) setBase(site);

  function startFrom(next: SitePartsFragment) {
    setBase(next);
    setTyped(toField(next.text));
    setErrors([]);
  }

  async function save(expectedRevision: number) {
    if (!isDirty) return;
    const payload = await put.run({ site: site.site, text, expectedRevision });
    if (!payload) return;
    const { siteConfig, userErrors } = payload;
    if (isConflict(userErrors)) onConflict();
    if (!siteConfig) return;
    startFrom(siteConfig);
    onUpdate(siteConfig);
    notify(`Revision ${siteConfig.revision} was saved.`);
  }
  return (
    <Form aria-label="Site configuration" errors={errors} onSubmit={() => void save(base.revision)}>
      <SiteEditor
        text={typed}
        isReadOnly={!canWrite}
        isInvalid={errors.length > 0 && !isConflict(errors)}
        onChange={setTyped}
      >
        <Problem failure={put.failure} errors={errors}>
          {isConflict(errors) && site.revision !== base.revision && (
            <>
              <button type="button" onClick={() => startFrom(site)}>
                Discard my changes and load revision {site.revision}
              </button>
              <button type="button" onClick={() => void save(site.revision)}>
                Overwrite with my changes
              </button>
            </>
          )}
        </Problem>
        {canWrite && (
          <div className="actions">
            <button
              type="submit"
              className="primary"
              aria-keyshortcuts="Control+S"
              aria-disabled={!isDirty || put.isBusy}
            >
              Save as revision {base.revision + 1}
            </button>
            {isDirty && (
              <button type="button" onClick={() => startFrom(site)}>
                Discard changes
              </button>
            )}
          </div>
        )}
      </SiteEditor>
    </Form>
  );
}
