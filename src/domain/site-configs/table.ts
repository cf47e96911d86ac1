import { API, OPENAPI } from "./api-table.js";
import {
  ANCHORS,
  NAVIGATION,
  NAVIGATION_GROUP,
  navigationGroup,
  TABS,
  TOP_ANCHOR,
} from "./navigation-table.js";
import { COLOR, COLOR_OR_GRADIENT, COLOR_PAIR, FLAG, TEXT } from "./setting-parts.js";
import type { ObjectShape, SettingProperty } from "./setting-shape.js";

/** The shapes that others refer to by name. */
export const DEFINITIONS: Readonly<Record<string, ObjectShape>> = { [NAVIGATION_GROUP]: navigationGroup };

const colors: SettingProperty = {
  shape: {
    kind: "object",
    typed: { name: "Colors", description: "Colors of a site, as `#rgb` or `#rrggbb`." },
    properties: {
      primary: { shape: COLOR, required: true, description: "Main accent in light mode." },
      light: { shape: COLOR, description: "Main accent in dark mode." },
      dark: { shape: COLOR, description: "Color of important buttons." },
      background: { shape: COLOR_PAIR, description: "Background of the pages." },
      anchors: { shape: COLOR_OR_GRADIENT, undocumented: true, description: "Color of the anchors' icons." },
    },
  },
  recommended: true,
  description: "Colors, as `#rgb` or `#rrggbb`.",
};

const topbarCtaButton: SettingProperty = {
  shape: {
    kind: "object",
    typed: { name: "CtaButton", description: "The button at the top that calls to action." },
    properties: {
      type: {
        shape: {
          kind: "string",
          values: ["link", "github"],
          typed: { name: "CtaButtonType", description: "What a call-to-action button is." },
        },
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
        typed: { name: "Socials", description: "The project's profiles elsewhere, each with its URL." },
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
  typed: {
    name: "Settings",
    description:
      "The settings of a site as its configuration gives them, with the defaults of what it leaves out.",
  },
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
        typed: {
          name: "Logo",
          description: "The logo of a site: one image, or one for each mode.",
          text: { name: "LogoImage", description: "One image for both modes.", property: "path" },
        },
        options: [
          TEXT,
          {
            kind: "object",
            typed: { name: "LogoImages", description: "An image for each mode." },
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
          typed: { name: "Link", description: "A link at the top." },
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
        typed: { name: "Feedback", description: "What readers may give back." },
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
        typed: { name: "ModeToggle", description: "The toggle between light and dark mode." },
        properties: {
          default: {
            shape: {
              kind: "string",
              values: ["light", "dark"],
              typed: { name: "Mode", description: "Light or dark." },
            },
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
