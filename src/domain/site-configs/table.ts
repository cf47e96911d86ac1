import {
  ANCHORS,
  NAVIGATION,
  NAVIGATION_GROUP,
  navigationGroup,
  TABS,
  TOP_ANCHOR,
} from "./navigation-table.js";
import {
  COLOR_OR_GRADIENT,
  choice,
  color,
  flag,
  object,
  property,
  section,
  TEXT,
  TEXT_OR_TEXTS,
  text,
} from "./setting-parts.js";
import type { ObjectShape, SettingProperty } from "./setting-shape.js";

/** Named shapes for references. */
export const DEFINITIONS: Readonly<Record<string, ObjectShape>> = { [NAVIGATION_GROUP]: navigationGroup };

const LOGO = property(
  {
    kind: "union",
    typeName: {
      name: "Logo",
      description: "The logo of a site: one image, or one for each mode.",
      text: { name: "LogoImage", description: "One image for both modes.", property: "path" },
    },
    options: [
      TEXT,
      object("LogoImages", "An image for each mode.", {
        light: text("Path of the logo for light mode."),
        dark: text("Path of the logo for dark mode."),
        href: text("Link target of the logo.", { default: "/" }),
      }),
    ],
  },
  "Path of the logo, or one for each mode.",
);

const BACKGROUND = object(
  "ColorPair",
  "A color for each mode.",
  {
    light: color("Background in light mode; set it together with `dark`."),
    dark: color("Background in dark mode; set it together with `light`."),
  },
  ["light", "dark"],
);

const COLORS = property(
  object("Colors", "Colors of a site, as `#rgb` or `#rrggbb`.", {
    primary: color("Main accent in light mode.", { required: true }),
    light: color("Main accent in dark mode."),
    dark: color("Color of important buttons."),
    background: property(BACKGROUND, "Background of the pages."),
    anchors: property(COLOR_OR_GRADIENT, "Color of the anchors' icons.", { undocumented: true }),
  }),
  "Colors, as `#rgb` or `#rrggbb`.",
  { recommended: true },
);

const API = section("Api", "The API reference.", {
  baseUrl: property(TEXT_OR_TEXTS, "Base URL of the API, or several for the viewer to choose from."),
  auth: section("ApiAuth", "Authentication in the API playground.", {
    method: choice(
      { name: "ApiAuthMethod", description: "How an API authenticates its callers." },
      ["bearer", "basic", "key"],
      "How the API authenticates its callers.",
    ),
    name: text(
      "Name of the authentication parameter in the playground; for `basic` as `[usernameName]:[passwordName]`.",
    ),
    inputPrefix: text("Default prefix of the playground's authentication field."),
  }),
  playground: section("ApiPlayground", "The API playground.", {
    mode: choice(
      { name: "ApiPlaygroundMode", description: "The display mode of the API playground." },
      ["show", "simple", "hide"],
      "Display mode: interactive, endpoint without interactivity, or hidden.",
      { default: "show" },
    ),
  }),
  maintainOrder: flag("Keeps the key order of the OpenAPI file.", {
    deprecated: "it will become the default behaviour",
  }),
});

/** The site configuration: the single source of the validator, the JSON Schema and the reference page. */
export const SITE_CONFIG: ObjectShape = object(
  "Settings",
  "The settings in a site's configuration, with defaults for those that are not set.",
  {
    $schema: text("URL of a JSON Schema with which editors validate the file.", { undocumented: true }),
    name: property({ kind: "string", nonEmpty: true }, "Project name, used as the global title.", {
      required: true,
    }),
    navigation: NAVIGATION,
    logo: LOGO,
    favicon: text("Path of the favicon.", { recommended: true }),
    colors: COLORS,
    topbarLinks: property(
      {
        kind: "array",
        items: object("Link", "A link at the top.", {
          name: text("Text of the link."),
          url: text("Target of the link."),
        }),
      },
      "Links at the top.",
    ),
    topbarCtaButton: section("CtaButton", "The call-to-action button at the top.", {
      type: choice(
        { name: "CtaButtonType", description: "The type of a call-to-action button." },
        ["link", "github"],
        "A link, or a GitHub repository with its details.",
        { default: "link" },
      ),
      url: text("Link target, or the URL of the repository.", { required: true }),
      name: text("Text of the button; for links only.", { requiredWhen: { property: "type", is: "link" } }),
    }),
    versions: property(
      {
        kind: "array",
        items: {
          kind: "union",
          options: [TEXT, { kind: "any", type: "object", undocumented: "A version as an object" }],
        },
      },
      "Version names, shown in a version dropdown.",
    ),
    anchors: ANCHORS,
    topAnchor: TOP_ANCHOR,
    tabs: TABS,
    api: API,
    openapi: property(TEXT_OR_TEXTS, "URL or relative path of one or more OpenAPI files."),
    footerSocials: property(
      {
        kind: "union",
        options: [
          object("Socials", "The project's social profiles, each with its URL.", {
            ...socials(["website", "facebook", "twitter", "discord", "slack", "github", "linkedin"]),
            ...socials(["instagram", "hacker-news"]),
            ...socials(["x", "x-twitter", "youtube"], { undocumented: true }),
          }),
          { kind: "any", type: "array", undocumented: "A list of profiles" },
        ],
      },
      "The project's social profiles, each with its http or https URL.",
    ),
    feedback: section("Feedback", "Feedback buttons for readers.", {
      suggestEdit: flag("Shows a button to suggest an edit.", { default: false }),
      raiseIssue: flag("Shows a button to raise an issue.", { default: false }),
      thumbsRating: flag("Shows buttons to rate a page.", { undocumented: true }),
    }),
    modeToggle: section("ModeToggle", "The toggle between light and dark mode.", {
      default: choice(
        { name: "Mode", description: "Light or dark." },
        ["light", "dark"],
        "Initial mode; defaults to the viewer's system setting.",
      ),
      isHidden: flag("Hides the toggle; with `default` set, this forces the mode.", { default: false }),
    }),
    backgroundImage: text("Background image of every page."),
  },
);

function socials(
  names: readonly string[],
  traits: Pick<SettingProperty, "undocumented"> = {},
): Record<string, SettingProperty> {
  const describe = (name: string) => (name === "website" ? "The project's website." : `Profile on ${name}.`);
  return Object.fromEntries(
    names.map((name) => [name, property({ kind: "string", format: "social_url" }, describe(name), traits)]),
  );
}
