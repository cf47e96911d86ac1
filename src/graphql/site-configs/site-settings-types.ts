import { type ClassType, createUnionType, Extensions, Field, ObjectType } from "type-graphql";
import { isObject, type JsonObject, type JsonValue } from "../../domain/shared/json.js";
import type {
  ObjectShape,
  SettingProperty,
  SettingShape,
  SingleShape,
  StringShape,
  TypeName,
  UnionShape,
} from "../../domain/site-configs/setting-shape.js";
import { formsOf } from "../../domain/site-configs/shape-options.js";
import { SITE_CONFIG } from "../../domain/site-configs/table.js";
import { COUNTS_ITEMS } from "../shared/counts-items.js";
import { createEnum } from "../shared/create-enum.js";
import type { ReplyBudget } from "../shared/reply-budget.js";

/** An object of a document in the typed view; its fields are read when they are asked for. */
type SettingsClass = ClassType<object> & (new (values: JsonObject, budget: ReplyBudget) => object);
type TextClass = ClassType<object> & (new (text: string, budget: ReplyBudget) => object);
/** What TypeGraphQL takes for a type. */
type FieldType = ClassType<object> | StringConstructor | BooleanConstructor | object;

/** How the values of a shape are shown. */
interface Rendering {
  readonly type: FieldType;
  readonly isList: boolean;
  /** @returns null for a value of a form that the format omits */
  view(value: JsonValue, budget: ReplyBudget): unknown;
}

const TEXT: Rendering = {
  type: String,
  isList: false,
  view: (value, budget) => (typeof value === "string" ? budget.spendText(value) : null),
};
const TRUTH: Rendering = {
  type: Boolean,
  isList: false,
  view: (value) => (typeof value === "boolean" ? value : null),
};

const settingsClasses = new Map<string, SettingsClass>();
const textClasses = new Map<string, TextClass>();
const enums = new Map<string, object>();
const unions = new Map<string, object>();

/** The typed view of a site configuration, made from the same table as the validator. */
export const SiteSettings = settingsClass(SITE_CONFIG);

/**
 * Shows a document with the defaults of what it leaves out (decision 19).
 * @param budget is told of each list and each text that goes into the reply, whenever it does
 */
export function viewSettings(document: JsonValue, budget: ReplyBudget): object | null {
  return isJsonObject(document) ? new SiteSettings(document, budget) : null;
}

function settingsClass(shape: ObjectShape): SettingsClass {
  return once(settingsClasses, shape.typed, (name, keep) => {
    class SettingsObject {
      readonly values: JsonObject;
      readonly budget: ReplyBudget;

      constructor(values: JsonObject, budget: ReplyBudget) {
        this.values = values;
        this.budget = budget;
      }
    }
    // Before it has fields, as a group of pages may hold groups.
    keep(SettingsObject);
    ObjectType(name, { description: shape.typed.description })(SettingsObject);
    Extensions({ [COUNTS_ITEMS]: true })(SettingsObject);
    for (const [key, property] of Object.entries(shape.properties)) {
      // What tools note about the file is none of the site's settings.
      if (!key.startsWith("$")) addField(SettingsObject, key, property);
    }
    return SettingsObject;
  });
}

function addField(target: SettingsClass, key: string, property: SettingProperty): void {
  const { type, isList, view } = renderingOf(property.shape);
  const absent = absentValue(property);
  const name = fieldName(key);
  const nullable = property.undocumented === true || (property.required !== true && absent === undefined);
  const { description, deprecated } = property;
  Object.defineProperty(target.prototype, name, {
    get(this: { readonly values: JsonObject; readonly budget: ReplyBudget }) {
      const value = Object.hasOwn(this.values, key) ? this.values[key] : absent;
      return value === undefined ? null : view(value, this.budget);
    },
  });
  const options = { description, nullable };
  Field(
    () => (isList ? [type] : type),
    deprecated === undefined
      ? options
      : { ...options, deprecationReason: `In the format too: ${deprecated}.` },
  )(target.prototype, name);
}

/** What stands for a property that is not there: its default, or an object that has defaults and nothing that must be given. */
function absentValue({ default: value, shape }: SettingProperty): JsonValue | undefined {
  if (value !== undefined || shape.kind !== "object") return value;
  const properties = Object.values(shape.properties);
  if (properties.some(({ required }) => required)) return undefined;
  return properties.some((property) => absentValue(property) !== undefined) ? {} : undefined;
}

function renderingOf(shape: SettingShape): Rendering {
  const [one, other] = formsOf(shape).flatMap((form) => (form.kind === "any" ? [] : [form]));
  if (!one) throw new Error("The table has a property that no view shows.");
  if (!other) return renderForm(one);
  if (other.kind === "array") return renderOneOrMany(renderForm(other));
  if (shape.kind === "union" && shape.typed && other.kind === "object")
    return renderUnion(shape.typed, other);
  throw new Error("The table has a union that no view shows.");
}

function renderForm(shape: Exclude<SingleShape, { readonly kind: "any" }>): Rendering {
  switch (shape.kind) {
    case "string":
      return shape.values ? renderEnum(shape, shape.values) : TEXT;
    case "boolean":
      return TRUTH;
    case "array":
      return renderArray(renderingOf(shape.items));
    case "object": {
      const type = settingsClass(shape);
      const view = (value: JsonValue, budget: ReplyBudget) =>
        isJsonObject(value) ? new type(value, budget) : null;
      return { type, isList: false, view };
    }
  }
}

function renderEnum({ typed }: StringShape, values: readonly string[]): Rendering {
  if (!typed) throw new Error("The table has an enumeration without a name.");
  const members = values.map(
    (value) => [value.toUpperCase().replaceAll("-", "_"), [value, `\`${value}\` in the document.`]] as const,
  );
  const type = once(enums, typed, (name) => createEnum(name, typed.description, Object.fromEntries(members)));
  return {
    type,
    isList: false,
    view: (value) => (typeof value === "string" && values.includes(value) ? value : null),
  };
}

function renderArray({ type, view }: Rendering): Rendering {
  return {
    type,
    isList: true,
    view(value, budget) {
      if (!Array.isArray(value)) return null;
      budget.spend(value.length);
      return value.map((item) => view(item, budget)).filter((item) => item !== null);
    },
  };
}

/** Shows a single value as a list of one. */
function renderOneOrMany(many: Rendering): Rendering {
  return { ...many, view: (value, budget) => many.view(Array.isArray(value) ? value : [value], budget) };
}

function renderUnion(typed: NonNullable<UnionShape["typed"]>, shape: ObjectShape): Rendering {
  const text = textClass(typed.text);
  const settings = settingsClass(shape);
  const type = once(unions, typed, (name) =>
    createUnionType({ name, description: typed.description, types: () => [text, settings] }),
  );
  const object = renderForm(shape);
  const view = (value: JsonValue, budget: ReplyBudget) =>
    typeof value === "string" ? new text(value, budget) : object.view(value, budget);
  return { type, isList: false, view };
}

/** The object that stands for a string where a union has to be one of objects. */
function textClass(typed: NonNullable<UnionShape["typed"]>["text"]): TextClass {
  return once(textClasses, typed, (name) => {
    class TextObject {
      readonly #text: string;
      readonly #budget: ReplyBudget;

      constructor(text: string, budget: ReplyBudget) {
        this.#text = text;
        this.#budget = budget;
      }

      get [typed.property](): string {
        return this.#budget.spendText(this.#text);
      }
    }
    ObjectType(name, { description: typed.description })(TextObject);
    Field(() => String, { description: "What the document says." })(TextObject.prototype, typed.property);
    return TextObject;
  });
}

/** Makes what has a type name on its first use; `keep` makes it known before it is complete. */
function once<Made>(
  made: Map<string, Made>,
  typed: TypeName,
  make: (name: string, keep: (incomplete: Made) => void) => Made,
): Made {
  const name = `Site${typed.name}`;
  const known = made.get(name);
  if (known !== undefined) return known;
  const complete = make(name, (incomplete) => made.set(name, incomplete));
  made.set(name, complete);
  return complete;
}

/** `hacker-news` is no name in GraphQL. */
function fieldName(key: string): string {
  return key.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isObject(value);
}
