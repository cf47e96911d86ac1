import { isStorable } from "../shared/text-field.js";
import { nameOf, quote } from "./document/json-pointer.js";
import { type StringNode } from "./document/tree.js";
import type { IssueCode } from "./finding-codes.js";
import type { FindingCollector } from "./finding-collector.js";
import { suggestion } from "./near-name.js";
import type { StringShape } from "./setting-shape.js";

/** Also used in the JSON Schema. */
export const COLOR_PATTERN = "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";

const color = new RegExp(COLOR_PATTERN);

/** Known extensions only: page names may contain other dots, as in versions and domains. */
const extension = /\.(?:mdx?|markdown|html?)$/i;

/** Validates the contents of a string. Unstorable text is left to `checkStorable`. */
export function checkText(
  node: StringNode,
  pointer: string,
  shape: StringShape,
  findings: FindingCollector,
): void {
  const { value, offset } = node;
  if (!isStorable(value)) return;
  const add = (code: IssueCode, message: () => string) => findings.add(code, { pointer, offset }, message);
  const name = () => nameOf(pointer);
  if (shape.nonEmpty && value === "") add("empty_value", () => `${name()} must not be empty.`);
  const { values } = shape;
  if (values && !values.includes(value)) {
    add("invalid_value", () => {
      const allowed = values.map(quote).join(", ");
      return `${name()} must be one of ${allowed}, not ${quote(value)}.${suggestion(value, values)}`;
    });
  }
  if (shape.format === "color" && !color.test(value))
    add("invalid_color", () => `${name()} must be a color in the form #rgb or #rrggbb, not ${quote(value)}.`);
  if (shape.format === "social_url" && !/^https?:\/\/./i.test(value)) {
    const rule = "should be a URL that starts with https:// or http://";
    add("social_url", () => `${name()} ${rule}, not ${quote(value)}.`);
  }
  if ((shape.format === "page_path" || shape.format === "label") && value.trim() === "") {
    const subject = shape.format === "label" ? name() : "The path of a page";
    add("empty_text", () => `${subject} should not be empty.`);
  }
  if (shape.format === "page_path" && value.startsWith("/"))
    add("page_leading_slash", () => `A page path should not start with a slash: ${quote(value)}.`);
  if (shape.format === "page_path" && extension.test(value))
    add("page_extension", () => `A page path should not have a file extension: ${quote(value)}.`);
}
