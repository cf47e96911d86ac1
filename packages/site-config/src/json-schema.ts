import { NAVIGATION_GROUP, SITE_CONFIG } from "./format.js";
import type { ObjectShape, SettingProperty, SettingShape } from "./setting-shape.js";
import { COLOR_PATTERN } from "./shape-check.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Returns the JSON Schema 2020-12 of a site configuration, for editors. It accepts exactly the documents without validation errors, except
 * for what a schema cannot express: JSON syntax errors, nesting depth, and text that cannot be stored.
 */
export function siteConfigJsonSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Site configuration",
    description: "The settings of a documentation site.",
    ...objectSchema(SITE_CONFIG),
    $defs: { [`${NAVIGATION_GROUP.definition}`]: objectSchema(NAVIGATION_GROUP) },
  };
}

function schemaOf(shape: SettingShape): JsonSchema {
  switch (shape.kind) {
    case "union":
      return { anyOf: shape.options.map(schemaOf) };
    case "any":
      return { type: shape.type, ...note(shape.undocumented) };
    case "boolean":
      return { type: "boolean" };
    case "string":
      return {
        type: "string",
        ...(shape.nonEmpty && { minLength: 1 }),
        ...(shape.values && { enum: shape.values }),
        ...(shape.format === "color" && { pattern: COLOR_PATTERN }),
      };
    case "array":
      return { type: "array", items: schemaOf(shape.items), ...(shape.nonEmpty && { minItems: 1 }) };
    case "object":
      return shape.definition === undefined
        ? objectSchema(shape)
        : { $ref: `#/$defs/${shape.definition}`, ...note(shape.undocumented) };
  }
}

function objectSchema({ properties, extensions = {} }: ObjectShape): JsonSchema {
  const entries = Object.entries(properties);
  const required = entries.filter(([, property]) => property.required).map(([name]) => name);
  const conditions = entries.flatMap(([name, { requiredWhen }]) =>
    requiredWhen
      ? // If the other property is absent, this `if` holds, which is correct: the required value is its default.
        [
          {
            if: { properties: { [requiredWhen.property]: { const: requiredWhen.is } } },
            // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
            then: { required: [name] },
          },
        ]
      : [],
  );
  return {
    type: "object",
    properties: Object.fromEntries([
      ...entries.map(([name, property]) => [name, propertySchema(property)]),
      ...Object.entries(extensions).map(([name, text]) => [name, { description: outside(text) }]),
    ]),
    ...(required.length > 0 && { required }),
    ...(conditions.length > 0 && { allOf: conditions }),
  };
}

function propertySchema(property: SettingProperty): JsonSchema {
  const description = property.undocumented ? outside(property.description) : property.description;
  return {
    description,
    ...(property.undocumented ? {} : schemaOf(property.shape)),
    ...(property.default !== undefined && { default: property.default }),
    ...(property.deprecated !== undefined && { deprecated: true }),
  };
}

function outside(description: string): string {
  return `${description} Not part of the format.`;
}

function note(undocumented: string | undefined): JsonSchema {
  return undocumented === undefined ? {} : { description: `${undocumented}; not part of the format.` };
}
