import fc from "fast-check";
import { SITE_CONFIG } from "../src/format.js";
import { formsOf, type ObjectShape, type SettingShape, type SingleShape } from "../src/setting-shape.js";
import type { JsonValue } from "./documents.js";

/** Maximum nesting of groups in generated documents. */
const DEEPEST = 9;

/** Valid site configurations. */
export function validSiteConfig(): fc.Arbitrary<JsonValue> {
  return generate(SITE_CONFIG, { level: 0, noise: false }).map(toJson);
}

/** Site configurations, about half of them with errors: any value can be replaced and any property removed. */
export function noisySiteConfig(): fc.Arbitrary<JsonValue> {
  return generate(SITE_CONFIG, { level: 0, noise: true }).map(toJson);
}

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

interface Options {
  readonly level: number;
  readonly noise: boolean;
}

function generate(shape: SettingShape, options: Options): fc.Arbitrary<unknown> {
  const forms = formsOf(shape).filter((form) => form.kind !== "object" || options.level < DEEPEST);
  const arbitrary = fc.oneof(...forms.map((form) => generateForm(form, options)));
  return options.noise ? fc.oneof({ weight: 80, arbitrary }, { weight: 1, arbitrary: anything }) : arbitrary;
}

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, 1, true, "", "#12", [], {}),
  fc.jsonValue({ maxDepth: 1 }),
);

function generateForm(form: SingleShape, options: Options): fc.Arbitrary<unknown> {
  const below = { ...options, level: options.level + 1 };
  switch (form.kind) {
    case "any":
      return fc.constant(form.type === "array" ? [] : {});
    case "boolean":
      return fc.boolean();
    case "string":
      if (form.values) return fc.constantFrom(...form.values);
      if (form.format === "color") return fc.stringMatching(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/);
      return fc.string({ minLength: form.nonEmpty ? 1 : 0, maxLength: 4, unit: "grapheme-ascii" });
    case "array":
      return fc.array(generate(form.items, below), { minLength: form.nonEmpty ? 1 : 0, maxLength: 2 });
    case "object":
      return generateObject(form, below);
  }
}

function generateObject({ properties }: ObjectShape, options: Options): fc.Arbitrary<unknown> {
  const documented = Object.entries(properties).filter(([, { undocumented }]) => !undocumented);
  const requiredKeys = documented
    .filter(([, property]) => property.required || property.requiredWhen)
    .map(([name]) => name);
  const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
    documented.map(([name, { shape }]) => [name, generate(shape, options)]),
  );
  const complete = fc.record(model, { requiredKeys });
  if (!options.noise) return complete;
  return fc.oneof(
    { weight: 20, arbitrary: complete },
    { weight: 1, arbitrary: fc.record(model, { requiredKeys: [] }) },
  );
}
