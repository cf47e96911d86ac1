import type { GroupPartsFragment } from "../api/generated/operations.js";
import { CodeBlock } from "../parts/code-block.js";
import { Tabs } from "../parts/tabs.js";
import { curlOf, pythonOf, typeScriptOf } from "./group-snippets.js";

/** The call that writes the group as it is saved, to copy. */
export function GroupCode({ group }: { readonly group: GroupPartsFragment }) {
  return (
    <section className="card" aria-labelledby="code">
      <h2 id="code">Code</h2>
      <p className="fine">Sets this group to its saved values, from your back end.</p>
      <Tabs
        label="Language"
        tabs={[
          { name: "curl", content: () => <CodeBlock label="curl" code={curlOf(group)} /> },
          { name: "TypeScript", content: () => <CodeBlock label="TypeScript" code={typeScriptOf(group)} /> },
          { name: "Python", content: () => <CodeBlock label="Python" code={pythonOf(group)} /> },
        ]}
      />
    </section>
  );
}
