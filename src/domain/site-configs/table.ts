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
    typed: {
      name: "Logo",
      description: "The logo of a site: one image, or one for each mode.",
      text: { name: "LogoImage", description: "One image for both modes.", property: "path" },
    },
    options: [
      TEXT,
      object("LogoImages", "An image for each mode.", {
        light: text("Path of the logo for light mode."),
        dark: text("Path of the logo for dark mode."),
        href: text("Where a click on the logo leads.", { default: "/" }),
      }),
    ],
  },
  "Path of the logo, or one for each mode.",
);

const BACKGROUND = object(
  "ColorPair",
  "A color for each mode.",
  {
    light: color("Background in light mode; give it together with `dark`."),
    dark: color("Background in dark mode; give it together with `light`."),
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
  baseUrl: property(TEXT_OR_TEXTS, "Base address of the API; of several, the viewer picks one."),
  auth: section("ApiAuth", "Authentication in the API playground.", {
    method: choice(
      { name: "ApiAuthMethod", description: "How an API authenticates its callers." },
      ["bearer", "basic", "key"],
      "How the API authenticates its callers.",
    ),
    name: text(
      "Name of the authentication parameter in the playground; for `basic` as `[usernameName]:[passwordName]`.",
    ),
    inputPrefix: text("What the playground's authentication field begins with."),
  }),
  playground: section("ApiPlayground", "The API playground.", {
    mode: choice(
      { name: "ApiPlaygroundMode", description: "How much of the API playground there is." },
      ["show", "simple", "hide"],
      "Whether the playground is interactive, shows the endpoint only, or is hidden.",
      { default: "show" },
    ),
  }),
  maintainOrder: flag("Keeps the keys in the order of the OpenAPI file.", {
    deprecated: "it is announced to become the default behaviour",
  }),
});

/** The site configuration: the single source of the validator, the JSON Schema and the reference page. */
export const SITE_CONFIG: ObjectShape = object(
  "Settings",
  "The settings of a site as its configuration gives them, with the defaults of what it leaves out.",
  {
    $schema: text("Address of a JSON Schema that editors check the file against.", { undocumented: true }),
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
          url: text("Target of the link."),
        }),
      },
      "Links at the top.",
    ),
    topbarCtaButton: section("CtaButton", "The button at the top that calls to action.", {
      type: choice(
        { name: "CtaButtonType", description: "What a call-to-action button is." },
        ["link", "github"],
        "A link, or a repository with its figures.",
        { default: "link" },
      ),
      url: text("Target of the link, or the repository's address.", { required: true }),
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
      "Names of versions, which the viewer picks from.",
    ),
    anchors: ANCHORS,
    topAnchor: TOP_ANCHOR,
    tabs: TABS,
    api: API,
    openapi: property(TEXT_OR_TEXTS, "URL or relative path of the OpenAPI file, or several."),
    footerSocials: property(
      {
        kind: "union",
        options: [
          object("Socials", "The project's profiles elsewhere, each with its URL.", {
            ...socials(["website", "facebook", "twitter", "discord", "slack", "github", "linkedin"]),
            ...socials(["instagram", "hacker-news"]),
            ...socials(["x", "x-twitter", "youtube"], { undocumented: true }),
          }),
          { kind: "any", type: "array", undocumented: "A list of profiles" },
        ],
      },
      "The project's profiles elsewhere, each with its http or https URL.",
    ),
    feedback: section("Feedback", "What readers may give back.", {
      suggestEdit: flag("Shows a button to suggest an edit.", { default: false }),
      raiseIssue: flag("Shows a button to raise an issue.", { default: false }),
      thumbsRating: flag("Shows buttons to rate a page.", { undocumented: true }),
    }),
    modeToggle: section("ModeToggle", "The toggle between light and dark mode.", {
      default: choice(
        { name: "Mode", description: "Light or dark." },
        ["light", "dark"],
        "The mode at first; when unset, that of the viewer's system.",
      ),
      isHidden: flag("Hides the toggle; together with `default`, this fixes the mode.", { default: false }),
    }),
    backgroundImage: text("Image behind every page."),
  },
);

function socials(
  names: readonly string[],
  traits: Pick<SettingProperty, "undocumented"> = {},
): Record<string, SettingProperty> {
  const describe = (name: string) => (name === "website" ? "The project's own site." : `Profile on ${name}.`);
  return Object.fromEntries(
    names.map((name) => [name, property({ kind: "string", format: "social_url" }, describe(name), traits)]),
  );
}
