import type { Environment } from "../accounts/environment.js";
import type { DataSource } from "../data-sources/data-source.js";
import type { ErrorCode } from "../shared/error-catalogue.js";
import { DomainError, type FieldPath, invalidField } from "../shared/errors.js";
import { isPresent } from "../shared/json.js";
import { JsonSource } from "../shared/stored-json.js";
import { parseText } from "../shared/text-field.js";
import { type MappedDataSource, parseMapping } from "../user-groups/mapping.js";
import { ImportedTokenError, parseImportedToken } from "../user-groups/token.js";
import {
  parseUserGroupFields,
  type UserGroup,
  type UserGroupFields,
  type UserGroupUpsert,
} from "../user-groups/user-group.js";

/** A record of an import or export by field names: a JSON object, or a row of CSV. */
export type FileRecord = Readonly<Record<string, unknown>>;

/** The format of a kind of records. */
export interface RecordFormat {
  /** Name in messages. */
  readonly label: string;
  /** The fields, which are the columns of CSV. */
  readonly fields: readonly string[];
  /** The fields that contain JSON in CSV. */
  readonly json: readonly string[];
}

/** The format in CSV of each field that clients set, so that none is forgotten. */
const FIELD_FORMATS: Readonly<Record<keyof UserGroupFields, "text" | "json">> = {
  name: "text",
  properties: "json",
};
const GROUP_FIELDS = Object.entries(FIELD_FORMATS);

/** The kinds of records. */
export const RECORDS = {
  dataSources: { label: "data sources", fields: ["provided_id", "name"], json: [] },
  groups: {
    label: "groups",
    // As in REST replies. team_id is ignored because the service assigns it; the environment tag is only validated.
    fields: [
      ...["provided_id", "user_group_id", ...GROUP_FIELDS.map(([name]) => name), "token", "mapping"],
      ...["team_id", "api_environment_tag"],
    ],
    json: [...GROUP_FIELDS.flatMap(([name, format]) => (format === "json" ? [name] : [])), "mapping"],
  },
} as const satisfies Readonly<Record<string, RecordFormat>>;

/** The kinds of records in import order: groups refer to data sources. */
export const RECORD_KINDS = ["dataSources", "groups"] as const;

export type RecordKind = (typeof RECORD_KINDS)[number];

/** The fields of an exported group, in order. */
export function exportedGroupFields(withTokens: boolean): readonly string[] {
  const fields = GROUP_FIELDS.map(([name]) => name);
  return ["provided_id", ...fields, ...(withTokens ? ["token"] : []), "mapping"];
}

export function toDataSourceRecord({ providedId, name }: DataSource): FileRecord {
  return { provided_id: providedId, name };
}

/** @param token undefined omits it */
export function toGroupRecord(
  { providedId, name, properties }: UserGroup,
  mapping: readonly MappedDataSource[],
  token: string | undefined,
): FileRecord {
  const fields: Record<keyof UserGroupFields, unknown> = {
    name,
    properties: properties === null ? null : new JsonSource(properties),
  };
  const entries = mapping.map(({ schemaId, dataSource }) => [schemaId, dataSource.providedId]);
  return {
    provided_id: providedId,
    ...fields,
    ...(token === undefined ? {} : { token }),
    mapping: Object.fromEntries(entries),
  };
}

/** An imported data source. */
export interface ImportedDataSource {
  readonly providedId: string;
  /** Required if the record is created. */
  readonly name?: string;
}

/** @throws DomainError `invalid_field` */
export function parseDataSource(record: FileRecord): ImportedDataSource {
  requireKnown(record, RECORDS.dataSources);
  const { name } = record;
  return {
    providedId: parseText(record["provided_id"], ["provided_id"]),
    ...(name === undefined ? {} : { name: parseText(name, ["name"]) }),
  };
}

/** @param environment the target environment @throws DomainError `invalid_field` */
export function parseGroup(record: FileRecord, environment: Environment): UserGroupUpsert {
  requireKnown(record, RECORDS.groups);
  const { name, token, properties, mapping, api_environment_tag: tag } = record;
  const idField = "provided_id" in record ? "provided_id" : "user_group_id";
  if (idField === "provided_id" && "user_group_id" in record) {
    throw invalidField(
      ["user_group_id"],
      "must not be combined with provided_id, which has the same meaning",
    );
  }
  if (isPresent(tag) && tag !== environment) {
    throw invalidField(["api_environment_tag"], `must be ${environment}, the environment of this import`);
  }
  return {
    providedId: parseText(record[idField], [idField]),
    ...parseUserGroupFields({ name, properties }),
    ...(isPresent(token) ? { token: parseImportedToken(token, ["token"]) } : {}),
    ...(mapping === undefined ? {} : { mapping: parseMapping(mapping, ["mapping"]) }),
  };
}

function requireKnown(record: FileRecord, { fields }: RecordFormat): void {
  for (const name of Object.keys(record)) {
    // Reject unknown fields: an ignored typo would go unnoticed.
    if (!fields.includes(name))
      throw invalidField([name], `is not a known field; the fields are ${fields.join(", ")}`);
  }
}

/** Reason for rejecting a line: an API error code, or one specific to files. */
type RefusalCode = ErrorCode | "invalid_csv" | ImportedTokenError["reason"];

/** A rejected line of an import. The message never contains a token. */
export class Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly field: string | undefined;

  /** @param field path in the file's names */
  constructor(code: RefusalCode, message: string, field?: FieldPath) {
    this.code = code;
    this.message = message;
    this.field = field?.join(".");
  }

  /** Converts a validation error. */
  static of(error: DomainError): Refusal {
    const { code, message, field } = error;
    const reason = error instanceof ImportedTokenError ? error.reason : code;
    return new Refusal(reason, code === "invalid_field" ? `${message}.` : message, field);
  }
}

/** The outcome of a line; in a dry run, the expected outcome. */
export type ImportOutcome = "created" | "updated" | "unchanged" | Refusal;

/** Runs a parser. @returns a refusal if it throws a DomainError */
export function catchRefusal<Result>(parse: () => Result): Result | Refusal {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DomainError) return Refusal.of(error);
    throw error;
  }
}
