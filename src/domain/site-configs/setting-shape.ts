import type { SiteConfigCode } from "./codes.js";
import type { JsonType } from "./document/tree.js";

/** What a value of the site configuration may be: the language of `site-config-table.ts`. */
export type SettingShape = UnionShape | ReferenceShape | SingleShape;

export type SingleShape = AnyShape | StringShape | BooleanShape | ArrayShape | ObjectShape;

/** How typed views of a document call a part of it. */
export interface TypeName {
  readonly name: string;
  readonly description: string;
}

interface Form {
  /** Set for a form that real files use and the format omits (decision 18): what it is. */
  readonly undocumented?: string;
}

/** A value that is kept as it is and not looked into. */
export interface AnyShape extends Form {
  readonly kind: "any";
  readonly type: JsonType;
}

export interface StringShape extends Form {
  readonly kind: "string";
  readonly nonEmpty?: true;
  /** The only values; others are errors. */
  readonly values?: readonly string[];
  /** Of the values as an enumeration. */
  readonly typed?: TypeName;
  /** What the string holds. Only a wrong color is an error. */
  readonly format?: "color" | "page_path" | "social_url";
}

export interface BooleanShape extends Form {
  readonly kind: "boolean";
}

export interface ArrayShape extends Form {
  readonly kind: "array";
  readonly items: SettingShape;
  readonly nonEmpty?: true;
}

export interface ObjectShape extends Form {
  readonly kind: "object";
  readonly typed: TypeName;
  readonly properties: Readonly<Record<string, SettingProperty>>;
  /** Properties of which one without the other is suspicious, but no error. */
  readonly together?: readonly string[];
}

/** One of several forms, no two of the same JSON type. */
export interface UnionShape {
  readonly kind: "union";
  /** Of a string and an object. Typed views show objects only: the string becomes an object's one property. */
  readonly typed?: TypeName & { readonly text: TypeName & { readonly property: string } };
  readonly options: readonly (SingleShape | ReferenceShape)[];
}

/** A shape of `DEFINITIONS`, which may contain itself. */
export interface ReferenceShape extends Form {
  readonly kind: "reference";
  readonly name: string;
}

export interface SettingProperty {
  readonly shape: SettingShape;
  readonly description: string;
  /** Its absence is an error. */
  readonly required?: true;
  /** Its absence is an error when another property of the object, or that one's default, has this value. */
  readonly requiredWhen?: { readonly property: string; readonly is: string };
  /** Its absence is a warning. */
  readonly recommended?: true;
  readonly default?: string | boolean;
  /** What is to happen to it. */
  readonly deprecated?: string;
  /** Real files use it, the format omits it (decision 18). */
  readonly undocumented?: true;
  /** A JSON type that has a code of its own when it is found here. */
  readonly mistaken?: { readonly type: JsonType; readonly code: SiteConfigCode; readonly message: string };
}
