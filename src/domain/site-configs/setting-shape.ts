import type { JsonType } from "./document/tree.js";
import type { IssueCode } from "./finding-codes.js";

/** The allowed values of a setting; `table.ts` is written in these types. */
export type SettingShape = UnionShape | ReferenceShape | SingleShape;

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
export interface AnyShape extends Form {
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
  readonly format?: "color" | "label" | "page_path" | "social_url";
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
  readonly typeName: TypeName;
  readonly properties: Readonly<Record<string, SettingProperty>>;
  /** Names and descriptions of more properties that real files use although the format does not mention them. */
  readonly extensions?: Readonly<Record<string, string>>;
  /** Properties that should be set together; one without the other is a warning. */
  readonly pairedProperties?: readonly string[];
}

/** One of several forms, each of a different JSON type. */
export interface UnionShape {
  readonly kind: "union";
  /** For unions of a string and an object. Typed views show objects only: the string becomes the object's only property. */
  readonly typeName?: TypeName & { readonly text: TypeName & { readonly property: string } };
  readonly options: readonly (SingleShape | ReferenceShape)[];
}

/** A reference to a shape in `DEFINITIONS`, which may be recursive. */
export interface ReferenceShape extends Form {
  readonly kind: "reference";
  readonly name: string;
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
