import {
  formsOf,
  type ObjectShape,
  type SettingProperty,
  type SettingShape,
  SITE_CONFIG,
  SITE_CONFIG_CODES,
  type StringShape,
  typeOf,
} from "@user-groups/site-config";

/** Returns the reference page of the site configuration, in Markdown. */
export function siteConfigReference(): string {
  const rows = rowsOf(SITE_CONFIG, "");
  const isOutside = ({ property }: Row) => property.undocumented === true;
  const outside = rows.filter(isOutside).map(({ path, property }) => [code(path), property.description]);
  return [
    "<!-- Generated from the table of the validator: npx vitest run test/unit/site-configs/reference.test.ts -u -->",
    "# Site configuration",
    "With this reference you can write the settings file of a documentation site: a JSON object in UTF-8 without comments. Validate a file with `site-config check`.",
    "## Properties",
    "`a.b` is property `b` of object `a`, `a[].b` that of each item of array `a`. An item of `pages` may be a nested group.",
    table(["property", "type", "default", "meaning"], rows.filter((row) => !isOutside(row)).map(propertyRow)),
    "## In use, but not part of the format",
    "These are stored unchanged and cause a notice, as do nested groups, `footerSocials` as an array, and objects in `versions`.",
    table(["property", "meaning"], [...outside, ...extensionRows(SITE_CONFIG, "")]),
    "## Findings",
    "A finding has a code, a JSON pointer and a message. For text, it also has a line and a column, both starting at 1; columns count UTF-16 code units. Errors make a configuration unusable: it is not stored. Warnings are probably mistakes; `strict` turns them into errors. Notices are valid in practice and need no change: there is one of each kind, with the number of places and the first of them, as of the warnings `page_leading_slash` and `page_extension`.",
    table(
      ["code", "severity", "meaning"],
      Object.entries(SITE_CONFIG_CODES).flatMap(([severity, codes]) =>
        Object.entries(codes).map(([name, meaning]) => [code(name), severity, meaning]),
      ),
    ),
  ]
    .join("\n\n")
    .concat("\n");
}

interface Row {
  readonly path: string;
  readonly property: SettingProperty;
}

function rowsOf({ properties }: ObjectShape, parent: string): Row[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${parent}${name}`;
    const below = property.undocumented ? [] : rowsBelow(property.shape, path);
    return [{ path, property }, ...below];
  });
}

function rowsBelow(shape: SettingShape, path: string): Row[] {
  return formsOf(shape).flatMap((form) => {
    // A nested group repeats the properties of its parent indefinitely.
    if (form.undocumented !== undefined) return [];
    if (form.kind === "object") return rowsOf(form, `${path}.`);
    return form.kind === "array" ? rowsBelow(form.items, `${path}[]`) : [];
  });
}

function extensionRows({ properties, extensions = {} }: ObjectShape, parent: string): string[][] {
  return [
    ...Object.entries(extensions).map(([name, description]) => [code(`${parent}${name}`), description]),
    ...Object.entries(properties).flatMap(([name, { shape }]) => extensionsBelow(shape, `${parent}${name}`)),
  ];
}

function extensionsBelow(shape: SettingShape, path: string): string[][] {
  return formsOf(shape).flatMap((form) => {
    if (form.undocumented !== undefined) return [];
    if (form.kind === "object") return extensionRows(form, `${path}.`);
    return form.kind === "array" ? extensionsBelow(form.items, `${path}[]`) : [];
  });
}

function propertyRow({ path, property }: Row): string[] {
  const end = property.deprecated === undefined ? "" : ` Deprecated: ${property.deprecated}.`;
  return [
    code(path),
    describe(property.shape),
    property.default === undefined ? required(property) : code(JSON.stringify(property.default)),
    `${property.description}${end}`,
  ];
}

function describe(shape: SettingShape): string {
  return formsOf(shape)
    .filter(({ undocumented }) => undocumented === undefined)
    .map((form) => {
      if (form.kind === "array") return `array of ${describe(form.items)}`;
      return form.kind === "string" ? describeText(form) : typeOf(form);
    })
    .join(" or ");
}

function describeText({ values, format }: StringShape): string {
  if (values) return values.map((value) => code(JSON.stringify(value))).join(", ");
  if (format === "color") return "color";
  return format === "social_url" ? "URL" : "string";
}

function required({ required, requiredWhen, recommended }: SettingProperty): string {
  if (required) return "required";
  if (requiredWhen)
    return `required when ${code(requiredWhen.property)} is ${code(JSON.stringify(requiredWhen.is))}`;
  return recommended ? "recommended" : "";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
