/**
 * Properties that the tool of the format and files in use know, although the format does not mention them: each object's names and
 * descriptions. They are stored unchanged and cause a notice (decision 18).
 */

export const SITE_EXTENSIONS = {
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

export const COLORS_EXTENSIONS = {
  ultraDark: "Darkest accent.",
  ultraLight: "Lightest accent.",
} as const;

export const CTA_BUTTON_EXTENSIONS = { arrow: "Shows an arrow.", style: "Shape of the button." } as const;

export const API_EXTENSIONS = {
  paramFields: "Display of parameters.",
  request: "Display of request examples.",
} as const;

export const PLAYGROUND_EXTENSIONS = { disableProxy: "Sends requests without a proxy." } as const;

const OPENAPI = "OpenAPI file from which pages are generated.";

export const TAB_EXTENSIONS = {
  isDefaultHidden: "Hides the tab until a reader follows a link to it.",
  openapi: OPENAPI,
  version: "One of `versions`; the tab is shown only for that version.",
} as const;

export const ANCHOR_EXTENSIONS = { openapi: OPENAPI } as const;
