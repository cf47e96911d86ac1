import { parseJson } from "../api/exact-json.js";
import type { GroupPartsFragment, MappingInput } from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
import type { Picture } from "../parts/embed/preview-frame.js";
import { isObject } from "../parts/is-object.js";

export interface MappingRow {
  /** Row identity: schema IDs may be temporarily empty or duplicate. */
  readonly key: number;
  readonly schemaId: string;
  readonly dataSource: string;
}

export type Properties = Readonly<Record<string, unknown>>;

/** Properties as they are edited: a text, and its value or an error. */
export type PropertiesDraft = {
  /** JSON, or empty for none. */
  readonly text: string;
} & (
  | { readonly value: Properties | null; readonly parseError: undefined }
  | { readonly value: undefined; readonly parseError: string }
);

export interface GroupDraft {
  readonly name: string;
  readonly properties: PropertiesDraft;
  /** The name of a property that has been typed but not added. */
  readonly newProperty: string;
  readonly mapping: readonly MappingRow[];
}

export const EMPTY_DRAFT: GroupDraft = {
  name: "",
  properties: propertiesOf(null),
  newProperty: "",
  mapping: [],
};

/** The editable values of a group or of a former version. */
export interface GroupValues extends Pick<GroupPartsFragment, "name" | "properties"> {
  readonly mapping: readonly {
    readonly schemaId: string;
    readonly dataSource: { readonly providedId: string };
  }[];
}

export function draftOf({ name, properties, mapping }: GroupValues): GroupDraft {
  return {
    name,
    properties: propertiesOf(isObject(properties) ? properties : null),
    newProperty: "",
    mapping: mapping.map(({ schemaId, dataSource }, key) => ({
      key,
      schemaId,
      dataSource: dataSource.providedId,
    })),
  };
}

/** Parses the text of properties; empty text is null. */
export function parseProperties(text: string): PropertiesDraft {
  if (text.trim() === "") return { text, value: null, parseError: undefined };
  try {
    const value = parseJson<unknown>(text);
    if (isObject(value)) return { text, value, parseError: undefined };
    return { text, value: undefined, parseError: "Properties must be a JSON object, in braces." };
  } catch (error) {
    const parseError = `Not JSON: ${error instanceof Error ? error.message : error}`;
    return { text, value: undefined, parseError };
  }
}

export function propertiesOf(value: Properties | null): PropertiesDraft {
  return { text: value === null ? "" : JSON.stringify(value, null, 2), value, parseError: undefined };
}

export function mappingOf({ mapping }: GroupDraft): MappingInput[] {
  return mapping.map(({ schemaId, dataSource }) => ({ schemaId, dataSource }));
}

/** Returns the fields that differ between two drafts, which are those that an update must send. */
export function changesBetween(before: GroupDraft, after: GroupDraft) {
  return {
    ...(before.name === after.name ? {} : { name: after.name }),
    ...changeOfProperties(before.properties, after.properties),
    ...(before.mapping === after.mapping || isSame(mappingOf(before), mappingOf(after))
      ? {}
      : { mapping: mappingOf(after) }),
  };
}

function changeOfProperties({ value: before }: PropertiesDraft, { value: after, text }: PropertiesDraft) {
  // While the text is not JSON, it cannot be saved.
  if (before === undefined || after === undefined) return { properties: text };
  if (before === after) return {};
  const propertiesPatch = before && after && patchBetween(before, after);
  if (!propertiesPatch) return { properties: after };
  // Only the order is another one.
  return Object.keys(propertiesPatch).length === 0 ? {} : { propertiesPatch };
}

/** Returns the JSON Merge Patch (RFC 7396) between two objects; null if there is none, because patches cannot set a value to null. */
function patchBetween(before: Properties, after: Properties): Properties | null {
  const patch: [name: string, value: unknown][] = [];
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch.push([name, null]);
  for (const [name, value] of Object.entries(after)) {
    const former = Object.hasOwn(before, name) ? before[name] : undefined;
    if (isSame(former, value)) continue;
    const part = isObject(value) ? patchBetween(isObject(former) ? former : {}, value) : value;
    if (part === null) return null;
    const isReordered = isObject(part) && isObject(former) && Object.keys(part).length === 0;
    if (!isReordered) patch.push([name, part]);
  }
  return Object.fromEntries(patch);
}

function isSame(before: unknown, after: unknown): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}

/** Before the names of properties and schemas among the names of fields. */
export const PROPERTY = "Property ";
const SCHEMA = "Schema ";

/** Returns the values of a draft as text, by the names of their fields. Each property and each schema is a field. */
export function valuesOf(draft: GroupDraft): ReadonlyMap<string, string> {
  return new Map([
    ["Name", draft.name],
    ...Object.entries(draft.properties.value ?? {}).map(
      ([name, value]) => [PROPERTY + name, JSON.stringify(value)] as const,
    ),
    ...draft.mapping.map(({ schemaId, dataSource }) => [SCHEMA + schemaId, dataSource] as const),
  ]);
}

/** Returns the draft with the values that `valuesOf` returned. */
export function draftWith(values: ReadonlyMap<string, string>): GroupDraft {
  const startingWith = (prefix: string) =>
    [...values].flatMap(([field, value]) =>
      field.startsWith(prefix) ? [[field.slice(prefix.length), value] as const] : [],
    );
  const properties = startingWith(PROPERTY).map(
    ([name, value]) => [name, parseJson<unknown>(value)] as const,
  );
  return {
    name: values.get("Name") ?? "",
    properties: propertiesOf(properties.length === 0 ? null : Object.fromEntries(properties)),
    newProperty: "",
    mapping: startingWith(SCHEMA).map(([schemaId, dataSource], key) => ({ key, schemaId, dataSource })),
  };
}

/** The text of a number while it is none, as while it is typed. */
export class UnfinishedNumber {
  constructor(
    private readonly text: string,
    private readonly former: unknown,
  ) {}

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return this.former;
  }

  /** Returns the same number with another text. */
  static of(text: string, value: unknown): UnfinishedNumber {
    return new UnfinishedNumber(text, value instanceof UnfinishedNumber ? value.former : value);
  }
}

/** Returns an error if a property has not been added, or a number not been finished: it would be lost. */
export function unfinishedProperty({ newProperty, properties: { value } }: GroupDraft): UserErrors {
  const [unfinished] = Object.entries(value ?? {}).find(([, each]) => each instanceof UnfinishedNumber) ?? [];
  if (unfinished !== undefined)
    return [
      propertyError("properties", `The property “${unfinished}” is no number. Type one, or remove it.`),
    ];
  if (newProperty === "") return [];
  const message = `The property “${newProperty}” has not been added. Add it in the form or clear its name.`;
  return [propertyError("newProperty", message)];
}

function propertyError(field: string, message: string): UserErrors[number] {
  return { code: "INVALID_FIELD", field: [field], message };
}

/** Returns whether the editable fields of two versions are equal. */
export function isUnchanged(before: GroupPartsFragment, after: GroupPartsFragment): boolean {
  return before === after || Object.keys(changesBetween(draftOf(before), draftOf(after))).length === 0;
}

/** Returns what a preview of the edited group shows; null while the properties are not JSON. */
export function pictureOf({ name, properties: { value }, mapping }: GroupDraft): Picture | null {
  if (value === undefined) return null;
  return {
    name,
    variables: value ?? {},
    mapping: mapping.map(({ schemaId, dataSource }) => ({ schemaId, dataSource })),
  };
}
