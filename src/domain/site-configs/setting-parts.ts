import type { ObjectShape, SettingProperty, SettingShape, StringShape, TypeName } from "./setting-shape.js";

export const TEXT = { kind: "string" } as const satisfies StringShape;
const COLOR = { kind: "string", format: "color" } as const satisfies StringShape;
export const TEXT_OR_TEXTS: SettingShape = { kind: "union", options: [TEXT, { kind: "array", items: TEXT }] };

/** Optional attributes of a property. */
type Traits = Omit<SettingProperty, "shape" | "description">;

export function property(shape: SettingShape, description: string, traits: Traits = {}): SettingProperty {
  return { shape, ...traits, description };
}

export function text(description: string, traits?: Traits): SettingProperty {
  return property(TEXT, description, traits);
}

export function color(description: string, traits?: Traits): SettingProperty {
  return property(COLOR, description, traits);
}

export function flag(description: string, traits?: Traits): SettingProperty {
  return property({ kind: "boolean" }, description, traits);
}

/** An enumerated string. */
export function choice(
  typed: TypeName,
  values: readonly string[],
  description: string,
  traits?: Traits,
): SettingProperty {
  return property({ kind: "string", values, typed }, description, traits);
}

export function object(
  name: string,
  description: string,
  properties: ObjectShape["properties"],
  together?: readonly string[],
): ObjectShape {
  return { kind: "object", typed: { name, description }, ...(together && { together }), properties };
}

/** An object property that shares the description of its object. */
export function section(
  name: string,
  description: string,
  properties: ObjectShape["properties"],
): SettingProperty {
  return property(object(name, description, properties), description);
}

/** The format's six icon types, and those that the icon library has added since (decision 17). */
const ICON_TYPES = [
  ...["brands", "duotone", "light", "sharp-solid", "solid", "thin"],
  ...["regular", "sharp-duotone-solid", "sharp-light", "sharp-regular", "sharp-thin"],
];

export const ICON_TYPE = choice(
  { name: "IconType", description: "The style of an icon." },
  ICON_TYPES,
  "The style of the icon.",
  { default: "duotone" },
);

const GRADIENT = object(
  "Gradient",
  "A gradient between colors.",
  {
    from: color("Start of the gradient; set it with `to`."),
    via: color("A color in the middle of the gradient.", { undocumented: true }),
    to: color("End of the gradient; set it with `from`."),
  },
  ["from", "to"],
);

export const COLOR_OR_GRADIENT: SettingShape = {
  kind: "union",
  typed: {
    name: "Color",
    description: "One color, or a gradient.",
    text: { name: "SolidColor", description: "One color.", property: "hex" },
  },
  options: [COLOR, GRADIENT],
};
