import type { GroupPartsFragment, MappingInput } from "../api/generated/operations.js";

/** A line of the mapping as it is being edited. */
export interface MappingRow {
  /** For telling rows apart: their schema ids may be empty, or the same, for a while. */
  readonly key: number;
  readonly schemaId: string;
  readonly dataSource: string;
}

/** A group as it is being edited. */
export interface GroupDraft {
  readonly name: string;
  /** JSON, or empty for none. */
  readonly properties: string;
  readonly mapping: readonly MappingRow[];
}

export const EMPTY_DRAFT: GroupDraft = { name: "", properties: "", mapping: [] };

/** What was read of a JSON object, or why it is none. */
export type ReadProperties =
  | { readonly value: unknown; readonly fault: undefined }
  | { readonly value: undefined; readonly fault: string };

export function draftOf({ name, properties, mapping }: GroupPartsFragment): GroupDraft {
  return {
    name,
    properties: properties === null ? "" : JSON.stringify(properties, null, 2),
    mapping: mapping.map(({ schemaId, dataSource }, key) => ({
      key,
      schemaId,
      dataSource: dataSource.providedId,
    })),
  };
}

/** Reads the text of properties; an empty one is null. */
export function readProperties(text: string): ReadProperties {
  if (text.trim() === "") return { value: null, fault: undefined };
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject
      ? { value, fault: undefined }
      : { value: undefined, fault: "Properties are a JSON object, in braces." };
  } catch (error) {
    return { value: undefined, fault: `Not JSON: ${error instanceof Error ? error.message : error}` };
  }
}

export function mappingOf({ mapping }: GroupDraft): MappingInput[] {
  return mapping.map(({ schemaId, dataSource }) => ({ schemaId, dataSource }));
}

/** The fields in which two drafts differ, which are all that a change has to send. */
export function changesBetween(before: GroupDraft, after: GroupDraft) {
  const hasMapping = JSON.stringify(mappingOf(before)) !== JSON.stringify(mappingOf(after));
  return {
    ...(before.name === after.name ? {} : { name: after.name }),
    ...(before.properties === after.properties ? {} : { properties: readProperties(after.properties).value }),
    ...(hasMapping ? { mapping: mappingOf(after) } : {}),
  };
}

/** Whether what can be edited is the same in two states of a group. */
export function isUnchanged(before: GroupPartsFragment, after: GroupPartsFragment): boolean {
  return Object.keys(changesBetween(draftOf(before), draftOf(after))).length === 0;
}
