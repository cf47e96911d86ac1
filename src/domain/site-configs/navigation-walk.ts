import { pointerTo } from "./document/json-pointer.js";
import type { ConfigNode, ObjectNode } from "./document/tree.js";

/** Visits every group of the navigation, including nested ones. */
export function visitGroups(root: ObjectNode, visitor: (group: ObjectNode, pointer: string) => void): void {
  const visit = (list: ConfigNode | undefined, pointer: string): void => {
    if (list?.type !== "array") return;
    list.items.forEach((item, index) => {
      if (item.type !== "object") return;
      const place = pointerTo(pointer, index);
      visitor(item, place);
      visit(item.members.get("pages")?.value, `${place}/pages`);
    });
  };
  visit(root.members.get("navigation")?.value, "/navigation");
}

/** Returns the paths of all pages as written; null if part of the navigation is invalid. */
export function pagesOf(root: ObjectNode): string[] | null {
  const pages: string[] = [];
  const collect = (list: ConfigNode | undefined, level: number): boolean =>
    list?.type === "array" &&
    list.items.length > 0 &&
    list.items.every((item) => {
      if (item.type === "object") return collect(item.members.get("pages")?.value, level + 1);
      if (item.type !== "string" || level === 0) return false;
      pages.push(item.value);
      return true;
    });
  return collect(root.members.get("navigation")?.value, 0) ? pages : null;
}
