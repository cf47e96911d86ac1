import type { ObjectShape, SettingProperty, SettingShape, StringShape, TypeName } from "./setting-shape.js";

export const TEXT = { kind: "string" } as const satisfies StringShape;
const LABEL = { kind: "string", format: "label" } as const satisfies StringShape;
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

/** A text that should not be empty. */
export function label(description: string, traits?: Traits): SettingProperty {
  return property(LABEL, description, traits);
}

export function color(description: string, traits?: Traits): SettingProperty {
  return property(COLOR, description, traits);
}

export function flag(description: string, traits?: Traits): SettingProperty {
  return property({ kind: "boolean" }, description, traits);
}

/** An enumerated string. */
export function choice(
  typeName: TypeName,
  values: readonly string[],
  description: string,
  traits?: Traits,
): SettingProperty {
  return property({ kind: "string", values, typeName }, description, traits);
}

export function object(
  name: string,
  description: string,
  properties: ObjectShape["properties"],
  traits: Pick<ObjectShape, "extensions" | "pairedProperties"> = {},
): ObjectShape {
  return {
    kind: "object",
    typeName: { name, description },
    ...traits,
    properties,
  };
}

/** An object property that shares the description of its object. */
export function section(
  name: string,
  description: string,
  properties: ObjectShape["properties"],
  extensions: ObjectShape["extensions"] = {},
): SettingProperty {
  return property(object(name, description, properties, { extensions }), description);
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
  { pairedProperties: ["from", "to"] },
);

export const COLOR_OR_GRADIENT: SettingShape = {
  kind: "union",
  typeName: {
    name: "Color",
    description: "A color or a gradient.",
    text: { name: "SolidColor", description: "A single color.", property: "hex" },
  },
  options: [COLOR, GRADIENT],
};
