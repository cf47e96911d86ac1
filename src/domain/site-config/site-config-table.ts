import { API, OPENAPI } from "./api-table.js";
import {
  ANCHORS,
  NAVIGATION,
  NAVIGATION_GROUP,
  navigationGroup,
  TABS,
  TOP_ANCHOR,
} from "./navigation-table.js";
import { COLOR, COLOR_PAIR, FLAG, GRADIENT, TEXT } from "./setting-parts.js";
import type { ObjectShape, SettingProperty } from "./setting-shape.js";

/** The shapes that others refer to by name. */
export const DEFINITIONS: Readonly<Record<string, ObjectShape>> = { [NAVIGATION_GROUP]: navigationGroup };

const colors: SettingProperty = {
  shape: {
    kind: "object",
    properties: {
      primary: { shape: COLOR, required: true, description: "Main accent in light mode." },
      light: { shape: COLOR, description: "Main accent in dark mode." },
      dark: { shape: COLOR, description: "Color of important buttons." },
      background: { shape: COLOR_PAIR, description: "Background of the pages." },
      anchors: { shape: GRADIENT, undocumented: true, description: "Color of the anchors' icons." },
    },
  },
  recommended: true,
  description: "Colors, as `#rgb` or `#rrggbb`.",
};

const topbarCtaButton: SettingProperty = {
  shape: {
    kind: "object",
    properties: {
      type: {
        shape: { kind: "string", values: ["link", "github"] },
        default: "link",
        description: "A link, or a repository with its figures.",
      },
      url: { shape: TEXT, required: true, description: "Target of the link, or the repository's address." },
      name: {
        shape: TEXT,
        requiredWhen: { property: "type", is: "link" },
        description: "Text of the button; for links only.",
      },
    },
  },
  description: "The button at the top that calls to action.",
};

const footerSocials: SettingProperty = {
  shape: {
    kind: "union",
    options: [
      {
        kind: "object",
        properties: {
          ...socials(["website", "facebook", "twitter", "discord", "slack", "github", "linkedin"], {}),
          ...socials(["instagram", "hacker-news"], {}),
          ...socials(["x", "x-twitter", "youtube"], { undocumented: true }),
        },
      },
      { kind: "any", type: "array", undocumented: "A list of profiles" },
    ],
  },
  description: "The project's profiles elsewhere, each with its http or https URL.",
};

/** The site configuration: the single source of the validator, the JSON Schema and the reference page. */
export const SITE_CONFIG: ObjectShape = {
  kind: "object",
  properties: {
    $schema: {
      shape: TEXT,
      undocumented: true,
      description: "Address of a JSON Schema that editors check the file against.",
    },
    name: {
      shape: { kind: "string", nonEmpty: true },
      required: true,
      description: "Name of the project, the title of every page.",
    },
    navigation: NAVIGATION,
    logo: {
      shape: {
        kind: "union",
        options: [
          TEXT,
          {
            kind: "object",
            properties: {
              light: { shape: TEXT, description: "Path of the logo for light mode." },
              dark: { shape: TEXT, description: "Path of the logo for dark mode." },
              href: { shape: TEXT, default: "/", description: "Where a click on the logo leads." },
            },
          },
        ],
      },
      description: "Path of the logo, or one for each mode.",
    },
    favicon: { shape: TEXT, recommended: true, description: "Path of the favicon." },
    colors,
    topbarLinks: {
      shape: {
        kind: "array",
        items: {
          kind: "object",
          properties: {
            name: { shape: TEXT, description: "Text of the link." },
            url: { shape: TEXT, description: "Target of the link." },
          },
        },
      },
      description: "Links at the top.",
    },
    topbarCtaButton,
    versions: {
      shape: {
        kind: "array",
        items: {
          kind: "union",
          options: [TEXT, { kind: "any", type: "object", undocumented: "A version as an object" }],
        },
      },
      description: "Names of versions, which the viewer picks from.",
    },
    anchors: ANCHORS,
    topAnchor: TOP_ANCHOR,
    tabs: TABS,
    api: API,
    openapi: OPENAPI,
    footerSocials,
    feedback: {
      shape: {
        kind: "object",
        properties: {
          suggestEdit: { shape: FLAG, default: false, description: "Shows a button to suggest an edit." },
          raiseIssue: { shape: FLAG, default: false, description: "Shows a button to raise an issue." },
          thumbsRating: { shape: FLAG, undocumented: true, description: "Shows buttons to rate a page." },
        },
      },
      description: "What readers may give back.",
    },
    modeToggle: {
      shape: {
        kind: "object",
        properties: {
          default: {
            shape: { kind: "string", values: ["light", "dark"] },
            description: "The mode at first; when unset, that of the viewer's system.",
          },
          isHidden: {
            shape: FLAG,
            default: false,
            description: "Hides the toggle; together with `default`, this fixes the mode.",
          },
        },
      },
      description: "The toggle between light and dark mode.",
    },
    backgroundImage: { shape: TEXT, description: "Image behind every page." },
  },
};

function socials(
  names: readonly string[],
  property: Pick<SettingProperty, "undocumented">,
): Record<string, SettingProperty> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        ...property,
        shape: { kind: "string", format: "social_url" },
        description: name === "website" ? "The project's own site." : `Profile on ${name}.`,
      },
    ]),
  );
}
