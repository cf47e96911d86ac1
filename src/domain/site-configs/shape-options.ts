import type { JsonType } from "./document/tree.js";
import { DEFINITIONS } from "./format.js";
import type { SettingShape, SingleShape } from "./setting-shape.js";

/** Returns the forms of a shape, one for each JSON type, with references resolved. */
export function formsOf(shape: SettingShape): readonly SingleShape[] {
  if (shape.kind === "union") return shape.options.flatMap(formsOf);
  if (shape.kind !== "reference") return [shape];
  const definition = DEFINITIONS[shape.name];
  if (!definition) throw new Error(`The table has no definition of ${shape.name}.`);
  return [
    shape.undocumented === undefined ? definition : { ...definition, undocumented: shape.undocumented },
  ];
}

/** Returns the JSON type of a form. */
export function typeOf(form: SingleShape): JsonType {
  return form.kind === "any" ? form.type : form.kind;
}
