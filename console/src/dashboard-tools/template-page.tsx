import { useState } from "react";
import {
  DeleteTemplateDocument,
  TemplateDocument,
  type TemplatePartsFragment,
} from "../api/generated/operations.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { CopyButton } from "../parts/copy-button.js";
import { Fact } from "../parts/facts.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { Recent } from "../parts/recent.js";
import { Time } from "../parts/time.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";
import { draftOf } from "./template-draft.js";
import { TemplateEditor } from "./template-editor.js";

const BACK = { href: hashOf(["dashboard-tools"]), label: "Dashboard tools" };

/** @param name the template's global ID */
export function TemplatePage({ name: id }: { readonly name: string }) {
  const query = useQuery(TemplateDocument, { id });
  if (!query.data) {
    return (
      <Page title="Session template" back={BACK}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  const { sessionTemplate: template } = query.data;
  if (!template) {
    return (
      <Page title="Template not found" back={BACK}>
        <p>
          It may have been deleted. <a href={BACK.href}>Show all templates</a>
        </p>
      </Page>
    );
  }
  return <TemplateDetails template={template} reload={query.reload} />;
}

interface TemplateDetailsProps {
  readonly template: TemplatePartsFragment;
  readonly reload: () => void;
}

function TemplateDetails({ template, reload }: TemplateDetailsProps) {
  const { id, name, description, issuer, keySetUrl, version, updatedAt } = template;
  const [start] = useState(() => draftOf(template));
  const goTo = useGoTo();
  return (
    <Page
      title={name}
      back={BACK}
      description={description}
      actions={
        <MutationButton
          label="Delete…"
          title={`Delete ${name}?`}
          action="Delete template"
          typed={name}
          document={DeleteTemplateDocument}
          variables={{ id }}
          notice={`${name} was deleted.`}
          onDone={() => goTo(BACK.href)}
        >
          <p>
            Your server gets no more tokens by it; those that exist stay valid until they expire. This cannot
            be undone.
          </p>
        </MutationButton>
      }
    >
      <Recent label={name} detail="Dashboard tool" />
      <dl className="facts card">
        {issuer !== null && <Address label="Issuer" text={issuer} />}
        {keySetUrl !== null && <Address label="Key set URL" text={keySetUrl} />}
        <Fact label="Last changed">
          <Time at={updatedAt} isRelative />
        </Fact>
        <Fact label="Version">{version}</Fact>
      </dl>
      <TemplateEditor start={start} template={template} onConflict={reload} onDone={reload} />
    </Page>
  );
}

/** An address that the tool's settings ask for. */
function Address({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <Fact label={label} isWhole>
      <span className="code">{text}</span> <CopyButton label={label} text={text} />
    </Fact>
  );
}
