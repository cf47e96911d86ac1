import type { IssueCode } from "./findings.js";
import type { JsonType } from "./tree.js";

/** The allowed values of a setting; `format.ts` is written in these types. */
export type SettingShape = UnionShape | SingleShape;

export type SingleShape = AnyShape | StringShape | BooleanShape | ArrayShape | ObjectShape;

/** Type name and description in typed views of a document. */
export interface TypeName {
  readonly name: string;
  readonly description: string;
}

interface Form {
  /** Description of a form that real files use although the format does not mention it (decision 18). */
  readonly undocumented?: string;
}

/** A value that is stored unchanged and not validated. */
interface AnyShape extends Form {
  readonly kind: "any";
  readonly type: JsonType;
}

export interface StringShape extends Form {
  readonly kind: "string";
  readonly nonEmpty?: true;
  /** The allowed values; others are errors. */
  readonly values?: readonly string[];
  /** Enumeration type of `values`. */
  readonly typeName?: TypeName;
  /** Format of the string. Only an invalid color is an error; labels and page paths should not be empty. */
  readonly format?: "color" | "label" | "link_url" | "page_path" | "social_url";
}

interface BooleanShape extends Form {
  readonly kind: "boolean";
}

interface ArrayShape extends Form {
  readonly kind: "array";
  readonly items: SettingShape;
  readonly nonEmpty?: true;
}

export interface ObjectShape extends Form {
  readonly kind: "object";
  readonly typeName: TypeName;
  readonly properties: Readonly<Record<string, SettingProperty>>;
  /** Names and descriptions of more properties that real files use although the format does not mention them. */
  readonly extensions?: Readonly<Record<string, string>>;
  /** Properties that should be set together; one without the other is a warning. */
  readonly pairedProperties?: readonly string[];
  /** Name of the definition in the JSON Schema, for a shape that contains itself. */
  readonly definition?: string;
}

/** One of several forms, each of a different JSON type. */
export interface UnionShape {
  readonly kind: "union";
  /** For unions of a string and an object. Typed views show objects only: the string becomes the object's only property. */
  readonly typeName?: TypeName & { readonly text: TypeName & { readonly property: string } };
  readonly options: readonly SingleShape[];
}

export interface SettingProperty {
  readonly shape: SettingShape;
  readonly description: string;
  /** Absence is an error. */
  readonly required?: true;
  /** Absence is an error if another property of the object, or its default, has this value. */
  readonly requiredWhen?: { readonly property: string; readonly is: string };
  /** Absence is a warning. */
  readonly recommended?: true;
  readonly default?: string | boolean;
  /** Reason for the deprecation, which is a notice. */
  readonly deprecated?: string;
  /** Used by real files although the format does not mention it (decision 18). */
  readonly undocumented?: true;
  /** A wrong JSON type that has its own finding code. */
  readonly wrongType?: { readonly type: JsonType; readonly code: IssueCode; readonly message: string };
}

export const TEXT = { kind: "string" } as const satisfies StringShape;
const LABEL = { kind: "string", format: "label" } as const satisfies StringShape;
const LINK = { kind: "string", format: "link_url" } as const satisfies StringShape;
const COLOR = { kind: "string", format: "color" } as const satisfies StringShape;
export const TEXT_OR_TEXTS: SettingShape = { kind: "union", options: [TEXT, { kind: "array", items: TEXT }] };

/** Returns the forms of a shape, one for each JSON type. */
export function formsOf(shape: SettingShape): readonly SingleShape[] {
  return shape.kind === "union" ? shape.options : [shape];
}

/** Returns the JSON type of a form. */
export function typeOf(form: SingleShape): JsonType {
  return form.kind === "any" ? form.type : form.kind;
}

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

/** The target of a link. */
export function link(description: string, traits?: Traits): SettingProperty {
  return property(LINK, description, traits);
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
  traits: Pick<ObjectShape, "extensions" | "pairedProperties" | "definition"> = {},
): ObjectShape {
  return { kind: "object", typeName: { name, description }, ...traits, properties };
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
