import { useState } from "react";
import { PutSiteDocument } from "../api/generated/operations.js";
import { errorAt, otherErrors } from "../api/user-errors.js";
import { TextField } from "../parts/field.js";
import { Form } from "../parts/form.js";
import { useNotice } from "../parts/notices.js";
import { Page } from "../parts/page.js";
import { Problem } from "../parts/problem.js";
import { useGoTo, useUnsaved } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
import { SiteEditor } from "./site-editor.js";

const START = `{
  "name": "My project",
  "favicon": "/favicon.svg",
  "colors": { "primary": "#0d9373", "light": "#55d799", "dark": "#0d9373" },
  "navigation": [{ "group": "Start", "pages": ["introduction"] }]
}
`;

export function NewSitePage() {
  const [site, setSite] = useState("");
  const [text, setText] = useState(START);
  const put = useMutation(PutSiteDocument);
  const { errors } = put;
  const refusals = otherErrors(errors, ["site"]);
  const notify = useNotice();
  const goTo = useGoTo();
  useUnsaved(site !== "" || text !== START);

  async function save() {
    const payload = await put.run({ site, text, expectedRevision: 0 });
    if (!payload?.siteConfig) return;
    const { siteConfig } = payload;
    notify(`${siteConfig.site} was created.`);
    goTo(hashOf(["sites", siteConfig.site]), true);
  }
  return (
    <Page title="New site" back={{ href: hashOf(["sites"]), label: "Sites" }}>
      <Form errors={errors} onSubmit={() => void save()}>
        <TextField
          label="Site name"
          hint="Identifies the site in URLs and API calls, for example docs."
          error={errorAt(errors, "site")}
          spellCheck={false}
          value={site}
          onChange={setSite}
        />
        <SiteEditor text={text} isReadOnly={false} isInvalid={refusals.length > 0} onChange={setText}>
          <Problem failure={put.failure} errors={refusals} />
          <div className="actions">
            <button type="submit" className="primary" aria-disabled={put.isBusy}>
              Create site
            </button>
            <a className="button" href={hashOf(["sites"])}>
              Cancel
            </a>
          </div>
        </SiteEditor>
      </Form>
    </Page>
  );
}
