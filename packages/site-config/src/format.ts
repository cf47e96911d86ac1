import {
  COLOR_OR_GRADIENT,
  choice,
  color,
  flag,
  ICON_TYPE,
  label,
  link,
  type ObjectShape,
  object,
  property,
  type SettingProperty,
  type SettingShape,
  section,
  TEXT,
  TEXT_OR_TEXTS,
  text,
} from "./setting-shape.js";

/**
 * Properties of a site that the tool of the format and files in use know, although the format does not mention them: names and
 * descriptions. They are stored unchanged and cause a notice (decision 18), as do the `extensions` of other objects.
 */
const SITE_EXTENSIONS = {
  analytics: "Analytics services and their IDs.",
  background: "Decoration of the background.",
  codeBlock: "Appearance of code blocks.",
  contextual: "Menu to copy a page or to open it in an assistant.",
  description: "Description of the site for search engines.",
  font: "Fonts of headings and text.",
  footer: "Links in the footer.",
  integrations: "Chat and support services.",
  isWhiteLabeled: "Hides the name of the tool.",
  layout: "Arrangement of navigation and contents.",
  metadata: "Meta tags of every page.",
  mobileBreakpoint: "Width below which the layout for phones applies.",
  primaryTab: "Label of the first tab.",
  redirects: "Old paths (`source`) and where they lead now (`destination`).",
  rounded: "Shape of corners.",
  search: "Place and prompt of the search field.",
  seo: "Settings for search engines.",
  sidebar: "Appearance of the sidebar.",
  theme: "Name of a theme.",
  topbar: "Appearance of the top bar.",
  viewport: "Viewport on small screens.",
} as const;

const OPENAPI = "OpenAPI file from which pages are generated.";

/** A group of pages. Groups may nest, which real files do although the format does not mention it. */
export const NAVIGATION_GROUP: ObjectShape = object(
  "NavigationGroup",
  "A group of pages.",
  {
    group: text("Name of the group; may be empty.", { required: true }),
    pages: property(
      {
        kind: "array",
        nonEmpty: true,
        get items() {
          return NAVIGATION_ITEM;
        },
      },
      "Relative paths of Markdown files, without leading slash and extension.",
      { required: true },
    ),
    icon: text("Icon name of the group.", { undocumented: true }),
    version: text("Version that shows the group.", { undocumented: true }),
  },
  { definition: "navigationGroup" },
);

const NAVIGATION_ITEM: SettingShape = {
  kind: "union",
  typeName: {
    name: "NavigationItem",
    description: "A page, or a group of pages within a group.",
    text: { name: "Page", description: "A page.", property: "path" },
  },
  options: [
    { kind: "string", format: "page_path" },
    { ...NAVIGATION_GROUP, undocumented: "A nested group" },
  ],
};

const NAVIGATION: SettingProperty = property(
  { kind: "array", nonEmpty: true, items: NAVIGATION_GROUP },
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
    url: link("Path prefix of the tab's pages, or the URL of another site.", { required: true }),
  },
  {
    extensions: {
      isDefaultHidden: "Hides the tab until a reader follows a link to it.",
      openapi: OPENAPI,
      version: "One of `versions`; the tab is shown only for that version.",
    },
  },
);

const ANCHOR = object(
  "Anchor",
  "An anchor, which groups pages or links elsewhere.",
  {
    name: label("Label of the anchor.", { required: true }),
    url: link("Path prefix of the anchor's pages, or the URL of another site.", { required: true }),
    icon: text("Name of the icon."),
    iconType: ICON_TYPE,
    color: property(COLOR_OR_GRADIENT, "Background of the icon: one color or a gradient."),
    version: text("One of `versions`; the anchor is shown only for that version."),
    isDefaultHidden: flag("Hides the anchor until a reader follows a link to it.", { default: false }),
  },
  { extensions: { openapi: OPENAPI } },
);

const TOP_ANCHOR = property(
  object("TopAnchor", "The topmost anchor.", {
    name: text("Label of the anchor.", { default: "Documentation" }),
    icon: text("Name of the icon.", { default: "book-open" }),
    iconType: ICON_TYPE,
  }),
  "Overrides for the topmost anchor.",
);

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
        href: link("Target of the logo's link.", { default: "/" }),
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
    { extensions: { ultraDark: "Darkest accent.", ultraLight: "Lightest accent." } },
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
      { disableProxy: "Sends requests without a proxy." },
    ),
    maintainOrder: flag("Keeps the key order of the OpenAPI file.", {
      deprecated: "it will become the default behaviour",
    }),
  },
  { paramFields: "Display of parameters.", request: "Display of request examples." },
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
          url: link("Target of the link.", { recommended: true }),
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
        url: link("Link target, or the URL of the repository.", { required: true }),
        name: text("Text of the button; for links only.", { requiredWhen: { property: "type", is: "link" } }),
      },
      { arrow: "Shows an arrow.", style: "Shape of the button." },
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
    anchors: property({ kind: "array", items: ANCHOR }, "Anchors that group pages or link elsewhere."),
    topAnchor: TOP_ANCHOR,
    tabs: property({ kind: "array", items: TAB }, "Tabs that group pages."),
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
