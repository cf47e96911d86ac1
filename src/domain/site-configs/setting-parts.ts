import type { ObjectShape, SettingProperty, SettingShape, StringShape } from "./setting-shape.js";

export const TEXT = { kind: "string" } as const satisfies StringShape;
export const FLAG: SettingShape = { kind: "boolean" };
export const COLOR = { kind: "string", format: "color" } as const satisfies StringShape;
export const TEXT_OR_TEXTS: SettingShape = {
  kind: "union",
  options: [TEXT, { kind: "array", items: TEXT }],
};

/** Decision 17: the format's own six values, and those that the icon library has got since. */
const ICON_TYPES = [
  "brands",
  "duotone",
  "light",
  "sharp-solid",
  "solid",
  "thin",
  "regular",
  "sharp-duotone-solid",
  "sharp-light",
  "sharp-regular",
  "sharp-thin",
];

export const ICON_TYPE: SettingProperty = {
  shape: {
    kind: "string",
    values: ICON_TYPES,
    typed: { name: "IconType", description: "The style of an icon." },
  },
  default: "duotone",
  description: "The style of the icon.",
};

export const COLOR_PAIR: ObjectShape = {
  kind: "object",
  typed: { name: "ColorPair", description: "A color for each mode." },
  together: ["light", "dark"],
  properties: {
    light: { shape: COLOR, description: "Background in light mode; give it together with `dark`." },
    dark: { shape: COLOR, description: "Background in dark mode; give it together with `light`." },
  },
};

const GRADIENT: ObjectShape = {
  kind: "object",
  typed: { name: "Gradient", description: "A gradient between colors." },
  together: ["from", "to"],
  properties: {
    from: { shape: COLOR, description: "Where the gradient starts; give it together with `to`." },
    via: { shape: COLOR, undocumented: true, description: "A color in the middle of the gradient." },
    to: { shape: COLOR, description: "Where the gradient ends; give it together with `from`." },
  },
};

export const COLOR_OR_GRADIENT: SettingShape = {
  kind: "union",
  typed: {
    name: "Color",
    description: "One color, or a gradient.",
    text: { name: "SolidColor", description: "One color.", property: "hex" },
  },
  options: [COLOR, GRADIENT],
};
