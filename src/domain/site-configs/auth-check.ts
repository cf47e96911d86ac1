import { quote } from "./document/json-pointer.js";
import type { ConfigNode, ObjectNode } from "./document/tree.js";
import type { FindingCollector } from "./finding-collector.js";

/** Finds a name for basic authentication that does not name both parameters. */
export function checkBasicAuth(root: ObjectNode, findings: FindingCollector): void {
  const auth = memberOf(memberOf(root, "api"), "auth");
  const method = memberOf(auth, "method");
  const name = memberOf(auth, "name");
  if (method?.type !== "string" || method.value !== "basic") return;
  if (name?.type !== "string" || name.value.includes(":")) return;
  const place = { pointer: "/api/auth/name", offset: name.offset };
  findings.add("basic_auth_name", place, () => {
    const form = '"[usernameName]:[passwordName]"';
    return `"name" should have the form ${form} for basic authentication, not ${quote(name.value)}.`;
  });
}

function memberOf(node: ConfigNode | undefined, name: string): ConfigNode | undefined {
  return node?.type === "object" ? node.members.get(name)?.value : undefined;
}
