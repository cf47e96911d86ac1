const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const BLACK = "#000000";
const WHITE = "#ffffff";
/** Luminance above which black has more contrast than white (WCAG). */
const MIDDLE_LUMINANCE = 0.179;

type Properties = Readonly<Record<string, unknown>>;

/** A page or group in the navigation. */
export type NavigationItem = string | { readonly group: string; readonly pages: readonly NavigationItem[] };

/** The colors of a site in one mode. */
export interface ModeColors {
  readonly background: string;
  readonly accent: string;
  readonly button: string;
}

/** The parts of a site that can be previewed. */
export interface SitePreview {
  readonly name: string;
  readonly button: string | null;
  readonly tabs: readonly string[];
  readonly anchors: readonly { readonly name: string; readonly color: string | null }[];
  readonly navigation: readonly NavigationItem[];
  readonly light: ModeColors;
  readonly dark: ModeColors;
}

/** Extracts the preview from a text that may have errors. @returns null if it is not a JSON object */
export function readPreview(text: string): SitePreview | null {
  const site = propertiesOf(parse(text));
  if (!site) return null;
  const colors = propertiesOf(site["colors"]) ?? {};
  const background = propertiesOf(colors["background"]) ?? {};
  const primary = colorOf(colors["primary"]) ?? "#16a34a";
  const button = colorOf(colors["dark"]) ?? primary;
  return {
    name: textOf(site["name"]) ?? "Untitled",
    button: textOf(propertiesOf(site["topbarCtaButton"])?.["name"]),
    tabs: listOf(site["tabs"]).flatMap((tab) => textOf(propertiesOf(tab)?.["name"]) ?? []),
    anchors: listOf(site["anchors"]).flatMap((item) => anchorOf(propertiesOf(item))),
    navigation: listOf(site["navigation"]).flatMap(itemOf),
    light: { background: colorOf(background["light"]) ?? WHITE, accent: primary, button },
    dark: {
      background: colorOf(background["dark"]) ?? "#0f1117",
      accent: colorOf(colors["light"]) ?? primary,
      button,
    },
  };
}

/** Returns black or white, whichever has more contrast with a color. */
export function textColorOn(color: string): string {
  const digits =
    color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit).join("") : color.slice(1);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const channel = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > MIDDLE_LUMINANCE ? BLACK : WHITE;
}

function itemOf(value: unknown): NavigationItem[] {
  if (typeof value === "string") return [value];
  const group = propertiesOf(value);
  return group
    ? [{ group: textOf(group["group"]) ?? "", pages: listOf(group["pages"]).flatMap(itemOf) }]
    : [];
}

function anchorOf(anchor: Properties | null) {
  const name = textOf(anchor?.["name"]);
  if (!anchor || name === null) return [];
  return [{ name, color: colorOf(anchor["color"]) ?? colorOf(propertiesOf(anchor["color"])?.["from"]) }];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function propertiesOf(value: unknown): Properties | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function colorOf(value: unknown): string | null {
  return typeof value === "string" && HEX.test(value) ? value : null;
}
