export type SiteConfigSeverity = "error" | "warning";

interface CodeDescription {
  readonly severity: SiteConfigSeverity;
  readonly meaning: string;
}

/** Every code of a finding, its severity without `strict`, and what it says (decisions 17 and 18). */
export const SITE_CONFIG_CODES = {
  unreadable_file: { severity: "error", meaning: "The file cannot be read (command line only)." },
  invalid_utf8: { severity: "error", meaning: "The file is not UTF-8 text (command line only)." },
  byte_order_mark: { severity: "error", meaning: "The text begins with a byte order mark." },
  invalid_json: { severity: "error", meaning: "The text is not JSON." },
  json_comment: { severity: "error", meaning: "The text has a comment, which JSON does not know." },
  trailing_comma: { severity: "error", meaning: "A comma stands before a closing bracket." },
  duplicate_key: { severity: "error", meaning: "An object has the same key twice." },
  too_deep: { severity: "error", meaning: "The document has too many levels." },
  unstorable_text: { severity: "error", meaning: "A key or string has U+0000 or half a surrogate pair." },
  number_too_large: {
    severity: "error",
    meaning: "A number is beyond what a 64-bit float holds (in text only).",
  },
  wrong_type: { severity: "error", meaning: "A value has a type that the property does not take." },
  docs_json_format: {
    severity: "error",
    meaning: "`navigation` is an object, as in a docs.json file: another format.",
  },
  missing_property: { severity: "error", meaning: "A required property is missing." },
  empty_value: { severity: "error", meaning: "A string or array is empty that must not be." },
  invalid_color: { severity: "error", meaning: "A color is neither `#rgb` nor `#rrggbb`." },
  invalid_value: { severity: "error", meaning: "A value is none of those that the property takes." },
  more_errors: { severity: "error", meaning: "There are more errors than are listed." },
  unknown_property: { severity: "warning", meaning: "A property is not known; it is kept untouched." },
  undocumented_property: {
    severity: "warning",
    meaning: "A property is in use, but not part of the format; it is kept untouched.",
  },
  undocumented_form: {
    severity: "warning",
    meaning: "A value has a form that is in use, but not part of the format.",
  },
  deprecated_property: { severity: "warning", meaning: "A property is to go away." },
  missing_recommended: { severity: "warning", meaning: "`favicon` or `colors` is missing." },
  one_sided_colors: { severity: "warning", meaning: "One of two colors that belong together is missing." },
  social_url: { severity: "warning", meaning: "The URL of a social profile is not http or https." },
  page_leading_slash: { severity: "warning", meaning: "The path of a page begins with a slash." },
  page_extension: { severity: "warning", meaning: "The path of a page ends in a file extension." },
  unmatched_url: { severity: "warning", meaning: "No page begins with the path of an anchor or tab." },
  unlisted_version: { severity: "warning", meaning: "A version is used that `versions` does not list." },
  inexact_number: {
    severity: "warning",
    meaning: "Most programs read a whole number as another one than is written (in text only).",
  },
  more_warnings: { severity: "warning", meaning: "There are more warnings than are listed." },
} as const satisfies Readonly<Record<string, CodeDescription>>;

export type SiteConfigCode = keyof typeof SITE_CONFIG_CODES;
