import {
  formsOf,
  type ObjectShape,
  type SettingProperty,
  type SettingShape,
  SITE_CONFIG,
  type SingleShape,
  type StringShape,
  type TypeName,
  type UnionShape,
} from "@user-groups/site-config";
import {
  Arg,
  type ClassType,
  Ctx,
  createUnionType,
  Extensions,
  Field,
  FieldResolver,
  ObjectType,
  Resolver,
  Root,
} from "type-graphql";
import { getOrCreate } from "../../domain/shared/get-or-create.js";
import { isObject, type JsonObject, type JsonValue } from "../../domain/shared/json.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { createEnum } from "../shared/create-enum.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { COUNTS_ITEMS, type ReplyBudget } from "../shared/reply-budget.js";
import { STRICT } from "./inputs.js";
import { siteConfigs, type TextRef } from "./loaders.js";
import { SiteConfigReportView } from "./report-type.js";
import { SiteConfigRevisionView, SiteConfigView } from "./type.js";

/** Class of the typed view of an object in a document; its fields are evaluated lazily, and charge the budget for each list and text whenever it is read. */
type SettingsClass = ClassType<object> & (new (values: JsonObject, budget: ReplyBudget) => object);
/** A type that TypeGraphQL accepts. */
type FieldType = ClassType<object> | StringConstructor | BooleanConstructor | object;

/** GraphQL type of a shape, with the conversion of its values. */
interface Rendering {
  readonly type: FieldType;
  readonly isList: boolean;
  /** @returns null if the value does not match the shape */
  view(value: JsonValue, budget: ReplyBudget): unknown;
}

const TEXT: Rendering = {
  type: String,
  isList: false,
  view: (value, budget) => (typeof value === "string" ? budget.spendText(value) : null),
};
const BOOLEAN: Rendering = {
  type: Boolean,
  isList: false,
  view: (value) => (typeof value === "boolean" ? value : null),
};

const settingsClasses = new Map<TypeName, SettingsClass>();
/** Properties that share a shape share its type. */
const renderings = new Map<SettingShape, Rendering>();

/** The typed view of a site configuration, generated from the table that the validator uses. */
const SiteSettings = settingsClass(SITE_CONFIG);

function settingsClass({ typeName, properties }: ObjectShape): SettingsClass {
  const known = settingsClasses.get(typeName);
  if (known) return known;
  class SettingsObject {
    constructor(
      readonly values: JsonObject,
      readonly budget: ReplyBudget,
    ) {}
  }
  // Before fields are added: the type is recursive, because page groups may contain groups.
  settingsClasses.set(typeName, SettingsObject);
  ObjectType(`Site${typeName.name}`, { description: typeName.description })(SettingsObject);
  Extensions({ [COUNTS_ITEMS]: true })(SettingsObject);
  for (const [key, property] of Object.entries(properties)) {
    // Keys such as `$schema` are metadata for tools, not settings.
    if (!key.startsWith("$")) addField(SettingsObject, key, property);
  }
  return SettingsObject;
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
      : { ...options, deprecationReason: `Deprecated by the format: ${deprecated}.` },
  )(target.prototype, name);
}

/** Returns the value of an absent property: its default, or an empty object if the shape has defaults and no required property. */
function absentValue({ default: value, shape }: SettingProperty): JsonValue | undefined {
  if (value !== undefined || shape.kind !== "object") return value;
  const properties = Object.values(shape.properties);
  if (properties.some(({ required }) => required)) return undefined;
  return properties.some((property) => absentValue(property) !== undefined) ? {} : undefined;
}

function renderingOf(shape: SettingShape): Rendering {
  return getOrCreate(renderings, shape, () => {
    const [one, other] = formsOf(shape).flatMap((form) => (form.kind === "any" ? [] : [form]));
    if (!one) throw new Error("A property of the site configuration table has no GraphQL type.");
    if (!other) return renderForm(one);
    if (other.kind === "array") return renderOneOrMany(renderForm(other));
    if (shape.kind === "union" && shape.typeName && other.kind === "object")
      return renderUnion(shape.typeName, other);
    throw new Error("A union of the site configuration table has no GraphQL type.");
  });
}

function renderForm(shape: Exclude<SingleShape, { readonly kind: "any" }>): Rendering {
  switch (shape.kind) {
    case "string":
      return shape.values ? renderEnum(shape, shape.values) : TEXT;
    case "boolean":
      return BOOLEAN;
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

function renderEnum({ typeName }: StringShape, values: readonly string[]): Rendering {
  if (!typeName) throw new Error("An enum of the site configuration table has no name.");
  const members = values.map(
    (value) => [value.toUpperCase().replaceAll("-", "_"), [value, `\`${value}\` in the document.`]] as const,
  );
  const type = createEnum(`Site${typeName.name}`, typeName.description, Object.fromEntries(members));
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

/** Converts a single value to a list of one. */
function renderOneOrMany(many: Rendering): Rendering {
  return { ...many, view: (value, budget) => many.view(Array.isArray(value) ? value : [value], budget) };
}

function renderUnion(typeName: NonNullable<UnionShape["typeName"]>, shape: ObjectShape): Rendering {
  const text = textClass(typeName.text);
  const settings = settingsClass(shape);
  const type = createUnionType({
    name: `Site${typeName.name}`,
    description: typeName.description,
    types: () => [text, settings],
  });
  const object = renderForm(shape);
  const view = (value: JsonValue, budget: ReplyBudget) =>
    typeof value === "string" ? new text(value, budget) : object.view(value, budget);
  return { type, isList: false, view };
}

/** Creates the class that wraps a string in a union, because GraphQL unions can only contain object types. */
function textClass({ name, description, property }: NonNullable<UnionShape["typeName"]>["text"]) {
  class TextObject {
    constructor(
      private readonly text: string,
      private readonly budget: ReplyBudget,
    ) {}

    get [property](): string {
      return this.budget.spendText(this.text);
    }
  }
  ObjectType(`Site${name}`, { description })(TextObject);
  Field(() => String, { description: "The value in the document." })(TextObject.prototype, property);
  return TextObject;
}

/** Converts to camel case: `hacker-news` is not a valid GraphQL name. */
function fieldName(key: string): string {
  return key.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isObject(value);
}

interface HasText {
  readonly textRef: TextRef;
}

/** Creates the resolver of the fields derived from the text, shared by site configurations and their revisions. */
function createContentResolver(view: ClassType<HasText>) {
  @Resolver(() => view)
  class SiteConfigContentResolver {
    @FieldResolver(() => GraphQLJSON, {
      description:
        "The document as submitted, without defaults. Integer-like keys come first and numbers are 64-bit floats; `text` has the original order and spelling.",
    })
    async document(@Root() root: HasText, @Ctx() context: GraphqlContext): Promise<JsonValue> {
      return siteConfigs(requireSession(context).loaders).document(root.textRef);
    }

    @FieldResolver(() => String, {
      description:
        "The exact text as submitted, or as serialized by the service if the document was submitted as JSON.",
    })
    async text(@Root() root: HasText, @Ctx() context: GraphqlContext): Promise<string> {
      return siteConfigs(requireSession(context).loaders).text(root.textRef);
    }

    @FieldResolver(() => SiteConfigReportView, {
      description: "The result of validating the text now. Lines and columns refer to `text`.",
    })
    async report(
      @Root() { textRef }: HasText,
      @Arg("strict", () => Boolean, STRICT) strict: boolean | null,
      @Ctx() context: GraphqlContext,
    ): Promise<SiteConfigReportView> {
      const { loaders } = requireSession(context);
      return new SiteConfigReportView(
        await siteConfigs(loaders).report(textRef, strict === true),
        loaders.budget,
      );
    }

    @FieldResolver(
      () => SiteSettings,
      nullable(
        "The typed settings, with defaults for omitted properties. Properties that the format does not define are only in `document`.",
      ),
    )
    async settings(@Root() root: HasText, @Ctx() context: GraphqlContext): Promise<object | null> {
      const { loaders } = requireSession(context);
      const document = await siteConfigs(loaders).document(root.textRef);
      return isJsonObject(document) ? new SiteSettings(document, loaders.budget) : null;
    }
  }
  return SiteConfigContentResolver;
}

export const SiteConfigContentResolver = createContentResolver(SiteConfigView);
export const SiteConfigRevisionContentResolver = createContentResolver(SiteConfigRevisionView);
