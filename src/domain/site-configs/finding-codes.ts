export type SiteConfigSeverity = "error" | "warning";

interface CodeDescription {
  readonly severity: SiteConfigSeverity;
  readonly meaning: string;
}

/** All finding codes with their severity without `strict` and their meaning (decisions 17 and 18). */
export const SITE_CONFIG_CODES = {
  unreadable_file: { severity: "error", meaning: "The file cannot be read (command line only)." },
  invalid_utf8: { severity: "error", meaning: "The file is not UTF-8 text (command line only)." },
  byte_order_mark: { severity: "error", meaning: "The text starts with a byte order mark." },
  invalid_json: { severity: "error", meaning: "The text is not JSON." },
  json_comment: { severity: "error", meaning: "The text has a comment, which JSON does not allow." },
  trailing_comma: { severity: "error", meaning: "There is a comma before a closing bracket." },
  duplicate_key: { severity: "error", meaning: "An object has the same key twice." },
  too_deep: { severity: "error", meaning: "The document has too many levels." },
  unstorable_text: {
    severity: "error",
    meaning: "A key or string contains U+0000 or an unpaired surrogate.",
  },
  number_too_large: {
    severity: "error",
    meaning: "A number exceeds the range of a 64-bit float (in text only).",
  },
  wrong_type: { severity: "error", meaning: "A value has the wrong type." },
  docs_json_format: {
    severity: "error",
    meaning: "`navigation` is an object, as in the docs.json format.",
  },
  missing_property: { severity: "error", meaning: "A required property is missing." },
  empty_value: { severity: "error", meaning: "A string or array must not be empty." },
  invalid_color: { severity: "error", meaning: "A color is neither `#rgb` nor `#rrggbb`." },
  invalid_value: { severity: "error", meaning: "A value is not one of the allowed values." },
  more_errors: { severity: "error", meaning: "There are more errors than listed." },
  unknown_property: { severity: "warning", meaning: "A property is unknown; it is stored unchanged." },
  undocumented_property: {
    severity: "warning",
    meaning: "A property is in common use but not part of the format; it is stored unchanged.",
  },
  undocumented_form: {
    severity: "warning",
    meaning: "A value has a form that is in common use but not part of the format.",
  },
  deprecated_property: { severity: "warning", meaning: "A property is deprecated." },
  missing_recommended: { severity: "warning", meaning: "`favicon` or `colors` is missing." },
  one_sided_colors: {
    severity: "warning",
    meaning: "One of two colors that must be set together is missing.",
  },
  social_url: { severity: "warning", meaning: "The URL of a social profile is not http or https." },
  page_leading_slash: { severity: "warning", meaning: "The path of a page starts with a slash." },
  page_extension: { severity: "warning", meaning: "The path of a page ends in a file extension." },
  unmatched_url: { severity: "warning", meaning: "No page path starts with the URL of an anchor or tab." },
  unlisted_version: { severity: "warning", meaning: "A version is used that `versions` does not list." },
  inexact_number: {
    severity: "warning",
    meaning: "An integer exceeds the precision of a 64-bit float (in text only).",
  },
  more_warnings: { severity: "warning", meaning: "There are more warnings than listed." },
} as const satisfies Readonly<Record<string, CodeDescription>>;

export type SiteConfigCode = keyof typeof SITE_CONFIG_CODES;
