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

export interface GroupDraft {
  readonly name: string;
  /** JSON, or empty for none. */
  readonly properties: string;
  /** The name of a property that has been typed but not added. */
  readonly newProperty: string;
  readonly mapping: readonly MappingRow[];
}

export const EMPTY_DRAFT: GroupDraft = { name: "", properties: "", newProperty: "", mapping: [] };

/** A parsed JSON object, or the error. */
export type ParsedProperties =
  | { readonly value: Readonly<Record<string, unknown>> | null; readonly parseError: undefined }
  | { readonly value: undefined; readonly parseError: string };

export function draftOf({ name, properties, mapping }: GroupPartsFragment): GroupDraft {
  return {
    name,
    properties: properties === null ? "" : JSON.stringify(properties, null, 2),
    newProperty: "",
    mapping: mapping.map(({ schemaId, dataSource }, key) => ({
      key,
      schemaId,
      dataSource: dataSource.providedId,
    })),
  };
}

/** Parses the text of properties; empty text is null. */
export function parseProperties(text: string): ParsedProperties {
  if (text.trim() === "") return { value: null, parseError: undefined };
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value)
      ? { value, parseError: undefined }
      : { value: undefined, parseError: "Properties must be a JSON object, in braces." };
  } catch (error) {
    return { value: undefined, parseError: `Not JSON: ${error instanceof Error ? error.message : error}` };
  }
}

export function mappingOf({ mapping }: GroupDraft): MappingInput[] {
  return mapping.map(({ schemaId, dataSource }) => ({ schemaId, dataSource }));
}

/** Returns the fields that differ between two drafts, which are those that an update must send. */
export function changesBetween(before: GroupDraft, after: GroupDraft) {
  const hasMapping = JSON.stringify(mappingOf(before)) !== JSON.stringify(mappingOf(after));
  return {
    ...(before.name === after.name ? {} : { name: after.name }),
    ...(before.properties === after.properties
      ? {}
      : { properties: parseProperties(after.properties).value }),
    ...(hasMapping ? { mapping: mappingOf(after) } : {}),
  };
}

/** Returns the values of a draft as text, by the names of their fields. Each property and each schema is a field. */
export function valuesOf(draft: GroupDraft): ReadonlyMap<string, string> {
  return new Map([
    ["Name", draft.name],
    ...Object.entries(parseProperties(draft.properties).value ?? {}).map(
      ([name, value]) => [`Property ${name}`, JSON.stringify(value)] as const,
    ),
    ...draft.mapping.map(({ schemaId, dataSource }) => [`Schema ${schemaId}`, dataSource] as const),
  ]);
}

/** Returns the draft with the values that `valuesOf` returned. */
export function draftWith(values: ReadonlyMap<string, string>): GroupDraft {
  const startingWith = (prefix: string) =>
    [...values].flatMap(([field, value]) =>
      field.startsWith(prefix) ? [[field.slice(prefix.length), value] as const] : [],
    );
  const properties = startingWith("Property ").map(([name, value]) => [name, JSON.parse(value)]);
  return {
    name: values.get("Name") ?? "",
    properties: properties.length === 0 ? "" : JSON.stringify(Object.fromEntries(properties), null, 2),
    newProperty: "",
    mapping: startingWith("Schema ").map(([schemaId, dataSource], key) => ({ key, schemaId, dataSource })),
  };
}

/** Returns an error if a property has not been added: it would be lost. */
export function unaddedProperty({ newProperty }: GroupDraft): UserErrors {
  if (newProperty === "") return [];
  const message = `The property “${newProperty}” has not been added. Add it in the form or clear its name.`;
  return [{ code: "INVALID_FIELD", field: ["newProperty"], message }];
}

/** Returns whether the editable fields of two versions are equal. */
export function isUnchanged(before: GroupPartsFragment, after: GroupPartsFragment): boolean {
  return Object.keys(changesBetween(draftOf(before), draftOf(after))).length === 0;
}

/** Returns what a preview of the edited group shows; null while the properties are not JSON. */
export function pictureOf({ name, properties, mapping }: GroupDraft): Picture | null {
  const { value } = parseProperties(properties);
  if (value === undefined) return null;
  return {
    name,
    variables: value ?? {},
    mapping: mapping.map(({ schemaId, dataSource }) => ({ schemaId, dataSource })),
  };
}
