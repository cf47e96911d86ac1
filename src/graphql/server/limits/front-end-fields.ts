import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { DomainError } from "../../../domain/shared/errors.js";

/**
 * Allow-list of fields for user group tokens, so that new fields are not exposed by default (decision 15). Front ends reach `Node`
 * only through their user group and its data sources.
 */
const FRONT_END_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Query: ["viewer"],
  Subscription: ["userGroupChanged"],
  UserGroupChange: ["kind", "userGroup", "userGroupId"],
  Viewer: ["accountName", "environment", "apiKey", "userGroup", "embedSession", "tokenGraceSeconds"],
  EmbedSession: ["expiresAt", "variables"],
  // Null for front ends, so that one query serves them and API keys.
  ApiKey: ["id", "name", "hint", "environment", "scope", "createdAt", "expiresAt", "revokedAt", "lastUsedAt"],
  UserGroup: ["id", "providedId", "name", "properties", "mapping", "version", "updatedAt"],
  MappingEntry: ["schemaId", "dataSource"],
  DataSource: ["id", "providedId"],
  Node: ["id"],
};

/** A field that is not on the allow-list. */
interface DeniedField {
  readonly type: string;
  readonly node: FieldNode;
  /** Path in the response. */
  readonly path: readonly string[];
}

/**
 * Checks whether front ends may run a document.
 * @param document must be valid for the schema
 * @returns `forbidden`, with the location of the first field that is not allowed in its cause; null if all are allowed
 */
export function findFrontEndError(document: DocumentNode, schema: GraphQLSchema): DomainError | null {
  const denied = new FieldSearch(schema, document).findDenied();
  return denied && forbidden(schema, denied);
}

function forbidden(schema: GraphQLSchema, { type, node, path }: DeniedField): DomainError {
  const verb = type === schema.getMutationType()?.name ? "run" : "read";
  const message = `This token is not allowed to ${verb} \`${type}.${node.name.value}\`.`;
  return new DomainError("forbidden", message, { cause: new GraphQLError(message, { nodes: node, path }) });
}

/** Searches all operations of a document, and each fragment at its first spread only. */
class FieldSearch {
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();

  constructor(schema: GraphQLSchema, document: DocumentNode) {
    this.#schema = schema;
    this.#document = document;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition);
    }
  }

  /** Returns the first field that is not on the allow-list, or null. */
  findDenied(): DeniedField | null {
    for (const definition of this.#document.definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      const denied = this.#search(
        definition.selectionSet,
        this.#schema.getRootType(definition.operation),
        [],
      );
      if (denied) return denied;
    }
    return null;
  }

  #search(
    { selections }: SelectionSetNode,
    type: GraphQLNamedType | null | undefined,
    path: readonly string[],
  ): DeniedField | null {
    for (const selection of selections) {
      const denied = this.#searchSelection(selection, type, path);
      if (denied) return denied;
    }
    return null;
  }

  #searchSelection(
    selection: SelectionNode,
    type: GraphQLNamedType | null | undefined,
    path: readonly string[],
  ): DeniedField | null {
    if (selection.kind === Kind.FIELD) return this.#searchField(selection, type, path);
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const { typeCondition, selectionSet } = selection;
      return this.#search(
        selectionSet,
        typeCondition ? this.#schema.getType(typeCondition.name.value) : type,
        path,
      );
    }
    const name = selection.name.value;
    const fragment = this.#fragments.get(name);
    this.#fragments.delete(name);
    if (!fragment) return null;
    return this.#search(fragment.selectionSet, this.#schema.getType(fragment.typeCondition.name.value), path);
  }

  #searchField(
    node: FieldNode,
    parent: GraphQLNamedType | null | undefined,
    path: readonly string[],
  ): DeniedField | null {
    const name = node.name.value;
    // Introspection has a separate setting.
    if (name.startsWith("__")) return null;
    const type = parent?.name ?? "";
    const fieldPath = [...path, node.alias?.value ?? name];
    if (!FRONT_END_FIELDS[type]?.includes(name)) return { type, node, path: fieldPath };
    if (!node.selectionSet || !(isObjectType(parent) || isInterfaceType(parent))) return null;
    return this.#search(node.selectionSet, getNamedType(parent.getFields()[name]?.type), fieldPath);
  }
}
