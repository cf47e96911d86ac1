import type { Environment } from "../../domain/accounts/environment.js";
import { invalidField } from "../../domain/shared/errors.js";
import { isPresent } from "../../domain/shared/json.js";
import { parseText } from "../../domain/shared/text-field.js";
import type {
  ImportedDataSource,
  ImportedGroup,
  ImportedMapping,
} from "../../domain/transfer/imported-record.js";
import { parseMapping } from "../../domain/user-groups/mapping.js";
import { parseProperties } from "../../domain/user-groups/properties.js";
import { parseImportedToken } from "../../domain/user-groups/token.js";
import type { FileShape } from "./source-file.js";

type Fields = Readonly<Record<string, unknown>>;

/** The kinds of files: their names in messages, and their columns, which are the keys in JSON Lines. */
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
} as const satisfies Readonly<Record<string, FileShape & { readonly label: string }>>;

/** The kinds of files, in import order: each refers to the ones before it. */
export const FILE_KINDS = ["dataSources", "groups", "mappings"] as const;

export type FileKind = (typeof FILE_KINDS)[number];

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
    ...(name === undefined ? {} : { name: parseText(name, ["name"]) }),
    ...(isPresent(token) ? { token: parseImportedToken(token, ["token"]) } : {}),
    ...(properties === undefined ? {} : { properties: parseProperties(properties, ["properties"]) }),
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
