import { COLOR_OR_GRADIENT, FLAG, ICON_TYPE, TEXT } from "./setting-parts.js";
import type { ObjectShape, SettingProperty, SettingShape, TypeName } from "./setting-shape.js";

export const NAVIGATION_GROUP = "navigationGroup";

/** A group of pages; groups may nest, which real files do and the format omits. */
export const navigationGroup: ObjectShape = {
  kind: "object",
  typed: { name: "NavigationGroup", description: "A group of pages." },
  properties: {
    group: { shape: TEXT, required: true, description: "Name of the group; may be empty." },
    pages: {
      shape: {
        kind: "array",
        nonEmpty: true,
        items: {
          kind: "union",
          typed: {
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
      required: true,
      description:
        "Relative paths of the pages' markdown files, without slash in front and without extension.",
    },
    icon: { shape: TEXT, undocumented: true, description: "Icon of the group." },
    version: { shape: TEXT, undocumented: true, description: "Version that the group belongs to." },
  },
};

export const NAVIGATION: SettingProperty = {
  shape: { kind: "array", nonEmpty: true, items: { kind: "reference", name: NAVIGATION_GROUP } },
  required: true,
  mistaken: {
    type: "object",
    code: "docs_json_format",
    message:
      '"navigation" must be an array of groups; an object belongs to the docs.json format, which is not supported.',
  },
  description: "The groups of pages, in their order.",
};

export const TABS: SettingProperty = {
  shape: listOf(
    { name: "Tab", description: "A tab, which selects pages." },
    {
      name: { shape: TEXT, required: true, description: "Label of the tab." },
      url: {
        shape: TEXT,
        required: true,
        description: "How the paths of the tab's pages begin, or the address of another site.",
      },
    },
  ),
  description: "Tabs that divide the pages.",
};

export const ANCHORS: SettingProperty = {
  shape: listOf(
    { name: "Anchor", description: "An anchor, which selects pages or leads elsewhere." },
    {
      name: { shape: TEXT, required: true, description: "Label of the anchor." },
      url: {
        shape: TEXT,
        required: true,
        description: "How the paths of the anchor's pages begin, or the address of another site.",
      },
      icon: { shape: TEXT, description: "Name of the icon." },
      iconType: ICON_TYPE,
      color: {
        shape: COLOR_OR_GRADIENT,
        description: "Background of the icon: one color or a gradient.",
      },
      version: {
        shape: TEXT,
        description: "One of `versions`: the anchor shows only while that one is selected.",
      },
      isDefaultHidden: {
        shape: FLAG,
        default: false,
        description: "Hides the anchor until somebody follows a link into it.",
      },
    },
  ),
  description: "Anchors that divide the pages or lead elsewhere.",
};

export const TOP_ANCHOR: SettingProperty = {
  shape: {
    kind: "object",
    typed: { name: "TopAnchor", description: "The topmost anchor." },
    properties: {
      name: { shape: TEXT, default: "Documentation", description: "Label of the anchor." },
      icon: { shape: TEXT, default: "book-open", description: "Name of the icon." },
      iconType: ICON_TYPE,
    },
  },
  description: "Changes the topmost anchor.",
};

function listOf(typed: TypeName, properties: ObjectShape["properties"]): SettingShape {
  return { kind: "array", items: { kind: "object", typed, properties } };
}
