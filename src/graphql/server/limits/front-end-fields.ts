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
 * All that a user group token may read (decision 15). A field that is not here is closed to it, also one that is yet to come. Of
 * `Node`, front ends reach their group and its data sources only.
 */
const FRONT_END_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Query: ["viewer"],
  Subscription: ["userGroupChanged"],
  UserGroupChange: ["kind", "userGroup"],
  Viewer: ["userGroup"],
  UserGroup: ["id", "name", "properties", "mapping", "version", "updatedAt"],
  MappingEntry: ["schemaId", "dataSource"],
  DataSource: ["id", "providedId", "name"],
  Node: ["id"],
};

/** A field that a front end may not read. */
interface ClosedField {
  readonly type: string;
  readonly node: FieldNode;
  /** Where it would be in the reply. */
  readonly path: readonly string[];
}

/**
 * Looks for a field that a front end may not read.
 * @param document valid for the schema
 * @returns `forbidden`, whose cause says where the field is; null when there is no such field
 */
export function refuseToFrontEnds(document: DocumentNode, schema: GraphQLSchema): DomainError | null {
  const closed = new FieldSearch(schema, document).findClosed();
  return closed && forbidden(schema, closed);
}

function forbidden(schema: GraphQLSchema, { type, node, path }: ClosedField): DomainError {
  const verb = type === schema.getMutationType()?.name ? "run" : "read";
  const message = `This token is not allowed to ${verb} \`${type}.${node.name.value}\`.`;
  return new DomainError("forbidden", message, { cause: new GraphQLError(message, { nodes: node, path }) });
}

/** Looks through all operations of a document, and through each fragment where it is spread first. */
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

  /** @returns the first field that a front end may not read, or null */
  findClosed(): ClosedField | null {
    for (const definition of this.#document.definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      const closed = this.#search(
        definition.selectionSet,
        this.#schema.getRootType(definition.operation),
        [],
      );
      if (closed) return closed;
    }
    return null;
  }

  #search(
    { selections }: SelectionSetNode,
    type: GraphQLNamedType | null | undefined,
    path: readonly string[],
  ): ClosedField | null {
    for (const selection of selections) {
      const closed = this.#searchSelection(selection, type, path);
      if (closed) return closed;
    }
    return null;
  }

  #searchSelection(
    selection: SelectionNode,
    type: GraphQLNamedType | null | undefined,
    path: readonly string[],
  ): ClosedField | null {
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
  ): ClosedField | null {
    const name = node.name.value;
    // Introspection has its own switch.
    if (name.startsWith("__")) return null;
    const type = parent?.name ?? "";
    const here = [...path, node.alias?.value ?? name];
    if (!FRONT_END_FIELDS[type]?.includes(name)) return { type, node, path: here };
    if (!node.selectionSet || !(isObjectType(parent) || isInterfaceType(parent))) return null;
    return this.#search(node.selectionSet, getNamedType(parent.getFields()[name]?.type), here);
  }
}
