import type { Environment } from "../accounts/environment.js";
import type { ErrorCode } from "../shared/error-catalogue.js";
import { DomainError, type FieldPath, invalidField } from "../shared/errors.js";
import { isPresent } from "../shared/json.js";
import { parseText } from "../shared/text-field.js";
import { type MappingReference, parseMapping } from "../user-groups/mapping.js";
import { parseImportedToken } from "../user-groups/token.js";
import { parseUserGroupFields, type UserGroupFields } from "../user-groups/user-group.js";

/** The shape of a file: its columns, which are the keys in JSON Lines. */
export interface FileShape {
  /** Name in messages. */
  readonly label: string;
  readonly columns: readonly string[];
  /** The columns of a CSV file that contain JSON. */
  readonly json: readonly string[];
}

/** The kinds of files. */
export const FILES = {
  dataSources: { label: "data sources", columns: ["provided_id", "name"], json: [] },
  // The fields of API replies. team_id is ignored because the service assigns it; the environment tag is only validated.
  groups: {
    label: "groups",
    columns: [
      "provided_id",
      "user_group_id",
      "name",
      "token",
      "properties",
      "mapping",
      "team_id",
      "api_environment_tag",
    ],
    json: ["properties", "mapping"],
  },
  mappings: { label: "mappings", columns: ["user_group_id", "schema_id", "data_source"], json: [] },
} as const satisfies Readonly<Record<string, FileShape>>;

/** The kinds of files, in import order: each refers to the ones before it. */
export const FILE_KINDS = ["dataSources", "groups", "mappings"] as const;

export type FileKind = (typeof FILE_KINDS)[number];

/** An imported data source. */
export interface ImportedDataSource {
  readonly providedId: string;
  /** Required if the record is created. */
  readonly name?: string;
}

/** An imported user group: absent fields stay unchanged, null clears a field (decision 7). A group that is created requires a name. */
export interface ImportedGroup extends Partial<UserGroupFields> {
  readonly providedId: string;
  /** The imported token; without one, a new token is issued. */
  readonly token?: string;
  readonly mapping?: readonly MappingReference[];
}

/** One imported mapping entry. */
export interface ImportedMapping {
  readonly userGroupId: string;
  readonly reference: MappingReference;
}

export interface ImportOptions {
  /** Report the outcome without changing anything. */
  readonly dryRun: boolean;
  /** Overwrite existing tokens with those in the file. */
  readonly replaceTokens: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** @throws DomainError `invalid_field` */
export function parseDataSource(fields: Fields): ImportedDataSource {
  requireKnown(fields, FILES.dataSources);
  const { name } = fields;
  return {
    providedId: parseText(fields["provided_id"], ["provided_id"]),
    ...(name === undefined ? {} : { name: parseText(name, ["name"]) }),
  };
}

/** @param environment the target environment @throws DomainError `invalid_field` */
export function parseGroup(fields: Fields, environment: Environment): ImportedGroup {
  requireKnown(fields, FILES.groups);
  const { name, token, properties, mapping, api_environment_tag: tag } = fields;
  const idField = "provided_id" in fields ? "provided_id" : "user_group_id";
  if (idField === "provided_id" && "user_group_id" in fields) {
    throw invalidField(
      ["user_group_id"],
      "must not be combined with provided_id, which has the same meaning",
    );
  }
  if (isPresent(tag) && tag !== environment) {
    throw invalidField(["api_environment_tag"], `must be ${environment}, the environment of this import`);
  }
  return {
    providedId: parseText(fields[idField], [idField]),
    ...parseUserGroupFields({ name, properties }),
    ...(isPresent(token) ? { token: parseImportedToken(token, ["token"]) } : {}),
    ...(mapping === undefined ? {} : { mapping: parseMapping(mapping, ["mapping"]) }),
  };
}

/** @throws DomainError `invalid_field` */
export function parseMappingLine(fields: Fields): ImportedMapping {
  requireKnown(fields, FILES.mappings);
  const { schema_id: schemaId, data_source: dataSource } = fields;
  return {
    userGroupId: parseText(fields["user_group_id"], ["user_group_id"]),
    reference: {
      schemaId: parseText(schemaId, ["schema_id"]),
      dataSource: parseText(dataSource, ["data_source"]),
      field: ["data_source"],
    },
  };
}

function requireKnown(fields: Fields, { columns }: FileShape): void {
  for (const name of Object.keys(fields)) {
    // Reject unknown fields: an ignored typo would go unnoticed.
    if (!columns.includes(name))
      throw invalidField([name], `is not a known field; the fields are ${columns.join(", ")}`);
  }
}

/** Reason for rejecting a line: an API error code, or one specific to files. */
type RefusalCode = ErrorCode | "invalid_csv" | "token_taken" | "token_differs";

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
  static of({ code, message, field }: DomainError): Refusal {
    return new Refusal(code, code === "invalid_field" ? `${message}.` : message, field);
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
