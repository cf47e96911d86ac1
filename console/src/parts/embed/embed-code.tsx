import { CodeBlock } from "../code-block.js";
import { Tabs } from "../tabs.js";
import { curlOf, htmlOf, reactOf, serverOf } from "./snippets.js";

/** The code that shows a group's dashboard in your product, to copy. */
export function EmbedCode({ providedId }: { readonly providedId: string }) {
  const tab = (name: string, code: string) => ({
    name,
    content: () => <CodeBlock label={`${name} embed code`} code={code} />,
  });
  return (
    <Tabs
      label="Embed code"
      tabs={[
        tab("HTML", htmlOf()),
        tab("React", reactOf()),
        tab("Server", serverOf(providedId)),
        tab("curl", curlOf(providedId)),
      ]}
    />
  );
}
