import { isStorable } from "../shared/text-field.js";
import { nameOf, quote } from "./document/json-pointer.js";
import { type StringNode } from "./document/tree.js";
import type { FindingCollector, FindingPlace } from "./finding-collector.js";
import { suggestion } from "./near-name.js";
import type { StringShape } from "./setting-shape.js";

/** What a color looks like; also in the JSON Schema. */
export const COLOR_PATTERN = "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";

const color = new RegExp(COLOR_PATTERN);

/** Not every dot: versions and domains are good names of pages. */
const extension = /\.(?:mdx?|markdown|html?)$/i;

/** Checks what a string says. Text that cannot be stored is left to its own check. */
export function checkText(
  node: StringNode,
  pointer: string,
  shape: StringShape,
  findings: FindingCollector,
): void {
  const { value, offset } = node;
  if (!isStorable(value)) return;
  const place: FindingPlace = { pointer, offset };
  const name = () => nameOf(pointer);
  if (shape.nonEmpty && value === "") {
    findings.add("empty_value", place, () => `${name()} must not be empty.`);
  }
  const { values } = shape;
  if (values && !values.includes(value)) {
    findings.add("invalid_value", place, () => {
      const allowed = values.map(quote).join(", ");
      return `${name()} must be one of ${allowed}, not ${quote(value)}.${suggestion(value, values)}`;
    });
  }
  switch (shape.format) {
    case "color":
      if (!color.test(value)) {
        findings.add(
          "invalid_color",
          place,
          () => `${name()} must be a color #rgb or #rrggbb, not ${quote(value)}.`,
        );
      }
      return;
    case "page_path":
      checkPagePath(value, place, findings);
      return;
    case "social_url":
      if (!/^https?:\/\/./i.test(value)) {
        const message = () =>
          `${name()} should be a URL that begins with https:// or http://, not ${quote(value)}.`;
        findings.add("social_url", place, message);
      }
      return;
    case undefined:
  }
}

function checkPagePath(path: string, place: FindingPlace, findings: FindingCollector): void {
  if (path.startsWith("/")) {
    findings.add(
      "page_leading_slash",
      place,
      () => `The path of a page should not begin with a slash: ${quote(path)}.`,
    );
  }
  if (extension.test(path)) {
    findings.add(
      "page_extension",
      place,
      () => `The path of a page should have no extension: ${quote(path)}.`,
    );
  }
}
