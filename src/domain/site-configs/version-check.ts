import { quote } from "./document/json-pointer.js";
import type { ObjectNode } from "./document/tree.js";
import type { FindingCollector } from "./finding-collector.js";
import { visitGroups } from "./navigation-walk.js";
import { suggestion } from "./near-name.js";

/** No suggestions beyond this number of versions: comparing all names would take too long. */
const MAX_SUGGESTED = 50;

/** Finds groups and anchors whose version is not in `versions`. */
export function checkVersions(root: ObjectNode, findings: FindingCollector): void {
  const listed = listedVersions(root);
  if (!listed) return;
  const check = (owner: ObjectNode, pointer: string) => {
    const version = owner.members.get("version")?.value;
    if (version?.type !== "string" || listed.has(version.value)) return;
    const message = () => {
      const hint = listed.size > MAX_SUGGESTED ? "" : suggestion(version.value, listed);
      return `"versions" does not list ${quote(version.value)}.${hint}`;
    };
    findings.add("unlisted_version", { pointer: `${pointer}/version`, offset: version.offset }, message);
  };
  visitGroups(root, check);
  const anchors = root.members.get("anchors")?.value;
  if (anchors?.type !== "array") return;
  anchors.items.forEach((anchor, index) => {
    if (anchor.type === "object") check(anchor, `/anchors/${index}`);
  });
}

/** @returns null if part of the list is invalid */
function listedVersions(root: ObjectNode): ReadonlySet<string> | null {
  const versions = root.members.get("versions")?.value;
  if (!versions) return new Set();
  if (versions.type !== "array") return null;
  const names = versions.items.map((item) => {
    const name = item.type === "object" ? item.members.get("name")?.value : item;
    return name?.type === "string" ? name.value : null;
  });
  const known = names.filter((name) => name !== null);
  return known.length === names.length ? new Set(known) : null;
}
