import type { ApolloServerPlugin } from "@apollo/server";
import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { DomainError } from "../domain/errors.js";
import type { GraphqlContext } from "./context.js";

/** All that a user group token may read (decision 15). A field that is not here is closed to it, also one that is yet to come. */
const FRONT_END_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Query: ["viewer"],
  Viewer: ["userGroup"],
  UserGroup: ["name", "properties", "mapping"],
  MappingEntry: ["schemaId", "dataSource"],
  DataSource: ["providedId", "name"],
};

/** Refuses a front end's operation before it runs if it asks for a field that is not its own. */
export function frontEndFieldsPlugin(): ApolloServerPlugin<GraphqlContext> {
  const known = new WeakMap<DocumentNode, string | null>();
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ contextValue, document, schema }) {
          if (contextValue.session?.kind !== "frontEnd") return;
          let closed = known.get(document);
          if (closed === undefined) {
            closed = findClosedField(document, schema);
            known.set(document, closed);
          }
          if (closed === null) return;
          throw new DomainError(
            "forbidden",
            `A user group token reads its own group only; ${closed} is closed to it.`,
          );
        },
      };
    },
  };
}

/** @returns the first field in any operation or fragment of the document that a front end may not read, or null */
export function findClosedField(document: DocumentNode, schema: GraphQLSchema): string | null {
  const typeInfo = new TypeInfo(schema);
  let closed: string | null = null;
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: ({ name }) => {
        const type = getNamedType(typeInfo.getParentType())?.name ?? "";
        // Introspection has its own switch.
        if (name.value === "__typename" || type.startsWith("__")) return;
        if (type === schema.getQueryType()?.name && name.value.startsWith("__")) return;
        if (!FRONT_END_FIELDS[type]?.includes(name.value)) closed ??= `${type}.${name.value}`;
      },
    }),
  );
  return closed;
}
