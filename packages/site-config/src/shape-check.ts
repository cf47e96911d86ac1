import type { FindingCollector, FindingPlace, IssueCode } from "./findings.js";
import { suggestion } from "./near-name.js";
import {
  formsOf,
  type ObjectShape,
  type SettingProperty,
  type SettingShape,
  type StringShape,
  typeOf,
} from "./setting-shape.js";
import {
  type ConfigMember,
  type ConfigNode,
  nameOf,
  type ObjectNode,
  pointerTo,
  quote,
  type StringNode,
  unstorablePart,
} from "./tree.js";

/** Also used in the JSON Schema. */
export const COLOR_PATTERN = "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";

const color = new RegExp(COLOR_PATTERN);

/** Known extensions only: page names may contain other dots, as in versions and domains. */
const extension = /\.(?:mdx?|markdown|html?)$/i;

/** Validates the contents of a string. Unstorable text is left to `checkStorable`. */
function checkText(node: StringNode, pointer: string, shape: StringShape, findings: FindingCollector): void {
  const { value, offset } = node;
  if (unstorablePart(value) !== null) return;
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
  // Browsers skip white space and control characters in a scheme.
  if (
    shape.format === "link_url" &&
    /^(?:javascript|vbscript|data):/i.test(value.replaceAll(/[\p{C}\s]/gu, ""))
  )
    add("script_link", () => `${name()} should be a path or the URL of a page, not ${quote(value)}.`);
  if ((shape.format === "page_path" || shape.format === "label") && value.trim() === "") {
    const subject = shape.format === "label" ? name() : "The path of a page";
    add("empty_text", () => `${subject} should not be empty.`);
  }
  if (shape.format === "page_path" && value.startsWith("/"))
    findings.addOnce(
      "page_leading_slash",
      { pointer, offset },
      () => `A page path should not start with a slash: ${quote(value)}.`,
    );
  if (shape.format === "page_path" && extension.test(value))
    findings.addOnce(
      "page_extension",
      { pointer, offset },
      () => `A page path should not have a file extension: ${quote(value)}.`,
    );
}

/** Validates a document against a shape: types, missing properties and unknown properties (decisions 17 and 18). */
export function checkShape(root: ConfigNode, shape: SettingShape, findings: FindingCollector): void {
  new ShapeCheck(findings).value(root, "", shape);
}

class ShapeCheck {
  constructor(private readonly findings: FindingCollector) {}

  value(node: ConfigNode, pointer: string, shape: SettingShape): void {
    const place: FindingPlace = { pointer, offset: node.offset };
    const forms = formsOf(shape);
    const form = forms.find((candidate) => typeOf(candidate) === node.type);
    if (!form) {
      this.findings.add("wrong_type", place, () => {
        const allowed = forms.filter(({ undocumented }) => undocumented === undefined).map(typeOf);
        return `${nameOf(pointer)} must be ${allowed.map(withArticle).join(" or ")}, not ${withArticle(node.type)}.`;
      });
      return;
    }
    if (form.undocumented !== undefined) {
      // The typed view has no type for these forms.
      const omitted = form.kind === "any" ? ", but left out of `settings` in GraphQL" : "";
      const message = () =>
        `${form.undocumented} (${nameOf(pointer)}) is not part of the format; it is stored unchanged${omitted}.`;
      this.findings.addNotice("undocumented_form", form.undocumented, place, message);
    }
    if (form.kind === "string" && node.type === "string") checkText(node, pointer, form, this.findings);
    if (form.kind === "object" && node.type === "object") this.#object(node, pointer, form);
    if (form.kind === "array" && node.type === "array") {
      if (form.nonEmpty && node.items.length === 0) {
        this.findings.add("empty_value", place, () => `${nameOf(pointer)} must have at least one item.`);
      }
      node.items.forEach((item, index) => {
        this.value(item, pointerTo(pointer, index), form.items);
      });
    }
  }

  #object(node: ObjectNode, pointer: string, shape: ObjectShape): void {
    for (const [key, member] of node.members) {
      const property = Object.hasOwn(shape.properties, key) ? shape.properties[key] : undefined;
      const place: FindingPlace = { pointer: pointerTo(pointer, key), offset: member.offset };
      const kind = `${shape.typeName.name}.${key}`;
      if (property) this.#property(member, place, { property, kind });
      else if (Object.hasOwn(shape.extensions ?? {}, key)) this.#undocumented(kind, place);
      else if (unstorablePart(key) === null)
        this.#unknown(key, { pointer, offset: member.offset }, node, shape);
    }
    const place: FindingPlace = { pointer, offset: node.offset };
    for (const [name, property] of Object.entries(shape.properties)) {
      if (node.members.has(name)) continue;
      if (property.required || isConditionallyRequired(property, node, shape)) {
        this.findings.add(
          "missing_property",
          place,
          () => `${quote(name)} is missing${within(pointer)}; it is required${reason(property)}.`,
        );
      } else if (property.recommended) {
        this.findings.add(
          "missing_recommended",
          place,
          () => `${quote(name)} is missing${within(pointer)}; it is recommended.`,
        );
      }
    }
    const pairedProperties = shape.pairedProperties ?? [];
    const missing = pairedProperties.filter((name) => !node.members.has(name));
    if (missing.length > 0) {
      this.findings.add("one_sided_colors", place, () => {
        const names = pairedProperties.map(quote).join(" and ");
        return `${nameOf(pointer)} should have both ${names}; ${missing.map(quote).join(" and ")} is missing.`;
      });
    }
  }

  /** @param place location of the key */
  #property(
    { value }: ConfigMember,
    place: FindingPlace,
    { property, kind }: { readonly property: SettingProperty; readonly kind: string },
  ): void {
    const { pointer } = place;
    if (property.undocumented) {
      this.#undocumented(kind, place);
      if (
        property.shape.kind === "string" &&
        property.shape.format === "social_url" &&
        value.type === "string"
      ) {
        checkText(value, pointer, property.shape, this.findings);
      }
      return;
    }
    if (property.deprecated !== undefined) {
      const message = () => `${nameOf(pointer)} is deprecated: ${property.deprecated}.`;
      this.findings.addNotice("deprecated_property", kind, place, message);
    }
    if (property.wrongType?.type === value.type) {
      const { code, message } = property.wrongType;
      this.findings.add(code, { pointer, offset: value.offset }, message);
    } else {
      this.value(value, pointer, property.shape);
    }
  }

  #undocumented(kind: string, place: FindingPlace): void {
    const message = () =>
      `${nameOf(place.pointer)} is in common use but not part of the format; it is stored unchanged.`;
    this.findings.addNotice("undocumented_property", kind, place, message);
  }

  /** @param place pointer of the object, and offset of the key */
  #unknown(
    key: string,
    { pointer: parent, offset }: FindingPlace,
    { members }: ObjectNode,
    shape: ObjectShape,
  ): void {
    this.findings.add("unknown_property", { pointer: pointerTo(parent, key), offset }, () => {
      const others = [...Object.keys(shape.properties), ...Object.keys(shape.extensions ?? {})].filter(
        (name) => !members.has(name),
      );
      return `${quote(key)} is not a known property${within(parent)}.${suggestion(key, others)}`;
    });
  }
}

/** Returns whether a property is required because of another property's value or default. */
function isConditionallyRequired(
  { requiredWhen }: SettingProperty,
  { members }: ObjectNode,
  shape: ObjectShape,
): boolean {
  if (!requiredWhen) return false;
  const other = members.get(requiredWhen.property);
  if (!other) return shape.properties[requiredWhen.property]?.default === requiredWhen.is;
  return other.value.type === "string" && other.value.value === requiredWhen.is;
}

function within(pointer: string): string {
  return pointer === "" ? "" : ` in ${nameOf(pointer)}`;
}

function reason({ requiredWhen }: SettingProperty): string {
  return requiredWhen ? ` when ${quote(requiredWhen.property)} is ${quote(requiredWhen.is)}` : "";
}

function withArticle(type: string): string {
  if (type === "null") return type;
  return `${/^[ao]/.test(type) ? "an" : "a"} ${type}`;
}
