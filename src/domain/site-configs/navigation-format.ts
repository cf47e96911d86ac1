import { ANCHOR_EXTENSIONS, TAB_EXTENSIONS } from "./format-extensions.js";
import { COLOR_OR_GRADIENT, flag, ICON_TYPE, label, object, property, text } from "./setting-parts.js";
import type { ObjectShape, SettingProperty } from "./setting-shape.js";

export const NAVIGATION_GROUP = "navigationGroup";

/** A group of pages. Groups may nest, which real files do although the format does not mention it. */
export const navigationGroup: ObjectShape = object("NavigationGroup", "A group of pages.", {
  group: text("Name of the group; may be empty.", { required: true }),
  pages: property(
    {
      kind: "array",
      nonEmpty: true,
      items: {
        kind: "union",
        typeName: {
          name: "NavigationItem",
          description: "A page, or a group of pages within a group.",
          text: { name: "Page", description: "A page.", property: "path" },
        },
        options: [
          { kind: "string", format: "page_path" },
          { kind: "reference", name: NAVIGATION_GROUP, undocumented: "A nested group" },
        ],
      },
    },
    "Relative paths of Markdown files, without leading slash and extension.",
    { required: true },
  ),
  icon: text("Icon name of the group.", { undocumented: true }),
  version: text("Version that shows the group.", { undocumented: true }),
});

export const NAVIGATION: SettingProperty = property(
  { kind: "array", nonEmpty: true, items: { kind: "reference", name: NAVIGATION_GROUP } },
  "Groups of pages, in display order.",
  {
    required: true,
    wrongType: {
      type: "object",
      code: "docs_json_format",
      message:
        '"navigation" must be an array of groups; an object belongs to the docs.json format, which is not supported.',
    },
  },
);

const TAB = object(
  "Tab",
  "A tab, which groups pages.",
  {
    name: label("Label of the tab.", { required: true }),
    url: text("Path prefix of the tab's pages, or the URL of another site.", { required: true }),
  },
  { extensions: TAB_EXTENSIONS },
);

const ANCHOR = object(
  "Anchor",
  "An anchor, which groups pages or links elsewhere.",
  {
    name: label("Label of the anchor.", { required: true }),
    url: text("Path prefix of the anchor's pages, or the URL of another site.", { required: true }),
    icon: text("Name of the icon."),
    iconType: ICON_TYPE,
    color: property(COLOR_OR_GRADIENT, "Background of the icon: one color or a gradient."),
    version: text("One of `versions`; the anchor is shown only for that version."),
    isDefaultHidden: flag("Hides the anchor until a reader follows a link to it.", { default: false }),
  },
  { extensions: ANCHOR_EXTENSIONS },
);

export const TABS = property({ kind: "array", items: TAB }, "Tabs that group pages.");

export const ANCHORS = property(
  { kind: "array", items: ANCHOR },
  "Anchors that group pages or link elsewhere.",
);

export const TOP_ANCHOR = property(
  object("TopAnchor", "The topmost anchor.", {
    name: text("Label of the anchor.", { default: "Documentation" }),
    icon: text("Name of the icon.", { default: "book-open" }),
    iconType: ICON_TYPE,
  }),
  "Overrides for the topmost anchor.",
);
