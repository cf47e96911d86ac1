import { useState } from "react";
import { DocsLink } from "../parts/docs-link.js";
import { Page } from "../parts/page.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { OTHER_TOOL, PRESETS, toolOf } from "./presets.js";
import { draftOfPreset } from "./template-draft.js";
import { TemplateEditor } from "./template-editor.js";

const BACK = { href: hashOf(["dashboard-tools"]), label: "Dashboard tools" };

/** Lists the tools that have a preset. */
export function PickToolPage() {
  const tools = [...PRESETS].map(([name, preset]) => [name, toolOf(preset), preset.description] as const);
  const other = [OTHER_TOOL, "Other tool", "Any tool that accepts a JWT"] as const;
  return (
    <Page title="Pick a tool" back={BACK} description="A preset fills in the claims that the tool asks for.">
      <ul className="tools">
        {[...tools, other].map(([name, tool, description]) => (
          <li key={name} className="card">
            <a href={hashOf(["new-dashboard-tool", name])}>{tool}</a>
            <span className="fine below">{description}</span>
          </li>
        ))}
      </ul>
    </Page>
  );
}

/** @param name that of a preset; any other starts without one */
export function NewTemplatePage({ name: tool }: { readonly name: string }) {
  const preset = PRESETS.get(tool);
  const [start] = useState(() => draftOfPreset(tool, preset));
  const goTo = useGoTo();
  return (
    <Page
      title={preset ? `New template for ${toolOf(preset)}` : "New template"}
      back={{ href: hashOf(["new-dashboard-tool"]), label: "Pick a tool" }}
      description={
        <DocsLink page={preset ? `integrations/${tool}` : "integrations"}>
          {preset ? `How to set up ${toolOf(preset)}` : "How to write a template"}
        </DocsLink>
      }
    >
      <TemplateEditor
        start={start}
        onConflict={() => undefined}
        onDone={({ id }) => goTo(hashOf(["dashboard-tools", id]), true)}
      />
    </Page>
  );
}
