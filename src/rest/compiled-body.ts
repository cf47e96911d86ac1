import { _, Ajv2020, type ErrorObject, type KeywordCxt, type Schema } from "ajv/dist/2020.js";
import { type DomainError, type FieldPath, invalidField } from "../domain/errors.js";
import { isObject, NULLABLE_OBJECT_RULE } from "../domain/json.js";
import { MAPPING_SIZE_RULE } from "../domain/mapping.js";
import { parseProperties } from "../domain/properties.js";
import { isLongerThan, isStorable, requireStorable, TEXT_RULES } from "../domain/text-field.js";
import { JSON_LIMITS, TEXT_FORMAT } from "./user-request-schemas.js";

/** Checks a body and gives it back with its type. @throws DomainError `invalid_field` for the first thing that is wrong */
export type BodyParser<Body> = (body: unknown) => Body;

type Fault = ErrorObject<string, Readonly<Record<string, unknown>>>;

/** Makes parsers of the schemas of bodies (decision 42); nothing is coerced, filled in or taken away. */
export function createBodyCompiler(): <Body>(schema: Schema) => BodyParser<Body> {
  const ajv = new Ajv2020({ allowUnionTypes: true, verbose: true, validateSchema: false });
  // Ajv's own count every character of every text.
  const length = { type: "string", before: "pattern" } as const;
  ajv.removeKeyword("minLength").removeKeyword("maxLength");
  ajv.addKeyword({
    ...length,
    keyword: "minLength",
    code: (cxt) => cxt.fail(_`!${longerThan(cxt)}(${cxt.data}, ${cxt.schema - 1})`),
  });
  ajv.addKeyword({
    ...length,
    keyword: "maxLength",
    code: (cxt) => cxt.fail(_`${longerThan(cxt)}(${cxt.data}, ${cxt.schema})`),
  });
  ajv.addFormat(TEXT_FORMAT, isStorable);
  ajv.addKeyword({
    keyword: JSON_LIMITS,
    type: "object",
    // What the limits allow, and what else may stand in such a value, is the domain's to know: it throws.
    validate: (_limits: unknown, value: unknown, _schema: unknown, place?: { instancePath: string }) => {
      parseProperties(value, toPath(place?.instancePath ?? ""));
      return true;
    },
  });
  return <Body>(schema: Schema) => {
    const validate = ajv.compile<Body>(schema);
    const faultOf = (body: unknown) => (validate(body) ? undefined : validate.errors?.[0]);
    return (body: unknown) => {
      if (validate(body)) return body;
      const [fault] = validate.errors ?? [];
      if (!fault) throw new Error("A body was refused for no reason.");
      throw toError(earlierFault(fault, body, faultOf) ?? fault);
    };
  };
}

/** All names of an object are checked before its first value: looks for a value that is wrong before the name that is. */
function earlierFault(
  { instancePath, propertyName }: Fault,
  body: unknown,
  faultOf: (body: unknown) => Fault | undefined,
): Fault | undefined {
  const [field = ""] = toPath(instancePath);
  if (propertyName === undefined || !isObject(body) || !isObject(body[field])) return undefined;
  const entries = Object.entries(body[field]);
  const before = entries.slice(
    0,
    entries.findIndex(([name]) => name === propertyName),
  );
  return faultOf({ ...body, [field]: Object.fromEntries(before) });
}

function toError({ keyword, instancePath, params, propertyName, schema, data }: Fault): DomainError {
  const path = toPath(instancePath);
  const field = propertyName === undefined ? path : [...path, propertyName];
  switch (keyword) {
    case "required":
      return invalidField([...field, String(params["missingProperty"])], TEXT_RULES.required);
    case "type":
      return invalidField(field, schema === "string" ? TEXT_RULES.type : NULLABLE_OBJECT_RULE);
    case "minLength":
      return invalidField(field, TEXT_RULES.minLength);
    case "maxLength":
      return invalidField(field, TEXT_RULES.maxLength);
    case "maxProperties":
      return invalidField(field, MAPPING_SIZE_RULE);
    case "format":
      requireStorable(String(data), field);
  }
  throw new Error(`No rule says what ${keyword} asks of ${field.join(".")}.`);
}

function longerThan({ gen }: KeywordCxt) {
  return gen.scopeValue("func", { ref: isLongerThan });
}

/** The fields to which a JSON pointer leads. */
function toPath(pointer: string): FieldPath {
  const keys = pointer.split("/").slice(1);
  return keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}
