import {
  API_EXTENSIONS,
  COLORS_EXTENSIONS,
  CTA_BUTTON_EXTENSIONS,
  PLAYGROUND_EXTENSIONS,
  SITE_EXTENSIONS,
} from "./format-extensions.js";
import {
  ANCHORS,
  NAVIGATION,
  NAVIGATION_GROUP,
  navigationGroup,
  TABS,
  TOP_ANCHOR,
} from "./navigation-format.js";
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
        href: text("Target of the logo's link.", { default: "/" }),
      }),
    ],
  },
  "Path of the logo, or one for each mode.",
);

const BACKGROUND = object(
  "ColorPair",
  "A color for each mode.",
  {
    light: color("Background in light mode; set it with `dark`."),
    dark: color("Background in dark mode; set it with `light`."),
  },
  { pairedProperties: ["light", "dark"] },
);

const COLORS = property(
  object(
    "Colors",
    "Colors of a site, as `#rgb` or `#rrggbb`.",
    {
      primary: color("Main accent in light mode.", { required: true }),
      light: color("Main accent in dark mode."),
      dark: color("Color of important buttons."),
      background: property(BACKGROUND, "Background of the pages."),
      anchors: property(COLOR_OR_GRADIENT, "Color of the anchors' icons.", { undocumented: true }),
    },
    { extensions: COLORS_EXTENSIONS },
  ),
  "Colors, as `#rgb` or `#rrggbb`.",
  { recommended: true },
);

const API = section(
  "Api",
  "The API reference.",
  {
    baseUrl: property(TEXT_OR_TEXTS, "Base URL of the API; readers can select one of several."),
    auth: section("ApiAuth", "Authentication in the API playground.", {
      method: choice(
        { name: "ApiAuthMethod", description: "Authentication method of an API." },
        ["bearer", "basic", "key"],
        "Authentication method of the API.",
      ),
      name: text(
        "Name of the authentication parameter in the playground; for `basic` as `[usernameName]:[passwordName]`.",
      ),
      inputPrefix: text("Prefix of the playground's authentication field."),
    }),
    playground: section(
      "ApiPlayground",
      "The API playground.",
      {
        mode: choice(
          { name: "ApiPlaygroundMode", description: "Display mode of the API playground." },
          ["show", "simple", "hide"],
          "`show`: interactive, `simple`: endpoint only, `hide`: hidden.",
          { default: "show" },
        ),
      },
      PLAYGROUND_EXTENSIONS,
    ),
    maintainOrder: flag("Keeps the key order of the OpenAPI file.", {
      deprecated: "it will become the default behaviour",
    }),
  },
  API_EXTENSIONS,
);

/** The site configuration: the single source of the validator, the JSON Schema and the reference page. */
export const SITE_CONFIG: ObjectShape = object(
  "Settings",
  "The settings of a site, with defaults for absent ones.",
  {
    $schema: text("URL of a JSON Schema that editors validate the file against.", { undocumented: true }),
    name: property({ kind: "string", nonEmpty: true }, "Name of the project, the title of every page.", {
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
          url: text("Target of the link.", { recommended: true }),
        }),
      },
      "Links at the top.",
    ),
    topbarCtaButton: section(
      "CtaButton",
      "Call-to-action button at the top.",
      {
        type: choice(
          { name: "CtaButtonType", description: "Type of a call-to-action button." },
          ["link", "github"],
          "A link, or a GitHub repository with its statistics.",
          { default: "link" },
        ),
        url: text("Link target, or the URL of the repository.", { required: true }),
        name: text("Text of the button; for links only.", { requiredWhen: { property: "type", is: "link" } }),
      },
      CTA_BUTTON_EXTENSIONS,
    ),
    versions: property(
      {
        kind: "array",
        items: {
          kind: "union",
          options: [TEXT, { kind: "any", type: "object", undocumented: "A version as an object" }],
        },
      },
      "Names of versions that readers can select.",
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
          object("Socials", "The project's social profiles, each a URL.", {
            ...socials(["website", "facebook", "twitter", "discord", "slack", "github", "linkedin"]),
            ...socials(["instagram", "hacker-news"]),
            ...socials(["x", "x-twitter", "youtube"], { undocumented: true }),
          }),
          { kind: "any", type: "array", undocumented: "A list of profiles" },
        ],
      },
      "The project's social profiles, each an http or https URL.",
    ),
    feedback: section("Feedback", "Buttons for readers' feedback.", {
      suggestEdit: flag("Shows a button to suggest an edit.", { default: false }),
      raiseIssue: flag("Shows a button to raise an issue.", { default: false }),
      thumbsRating: flag("Shows buttons to rate a page.", { undocumented: true }),
    }),
    modeToggle: section("ModeToggle", "The toggle between light and dark mode.", {
      default: choice(
        { name: "Mode", description: "Light or dark." },
        ["light", "dark"],
        "Initial mode; if unset, that of the reader's system.",
      ),
      isHidden: flag("Hides the toggle; with `default` set, this forces the mode.", { default: false }),
    }),
    backgroundImage: text("Background image of every page."),
  },
  { extensions: SITE_EXTENSIONS },
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
