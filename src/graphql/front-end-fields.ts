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
  Subscription: ["userGroupChanged"],
  UserGroupChange: ["kind", "userGroup"],
  Viewer: ["userGroup"],
  UserGroup: ["name", "properties", "mapping"],
  MappingEntry: ["schemaId", "dataSource"],
  DataSource: ["providedId", "name"],
};

/** What was found out about documents: each is looked through once, as Apollo Server keeps parsed ones. */
const known = new WeakMap<DocumentNode, string | null>();

/** @throws DomainError `forbidden` when a front end asks for a field that is not its own */
export function requireFrontEndFields(
  { session }: GraphqlContext,
  document: DocumentNode,
  schema: GraphQLSchema,
): void {
  if (session?.kind !== "frontEnd") return;
  const seen = known.get(document);
  const closed = seen === undefined ? findClosedField(document, schema) : seen;
  known.set(document, closed);
  if (closed === null) return;
  throw new DomainError(
    "forbidden",
    `A user group token reads its own group only; ${closed} is closed to it.`,
  );
}

/** Refuses a front end's operation before it runs if it asks for a field that is not its own. */
export function frontEndFieldsPlugin(): ApolloServerPlugin<GraphqlContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ contextValue, document, schema }) {
          requireFrontEndFields(contextValue, document, schema);
        },
      };
    },
  };
}

/** @returns the first field in any operation or fragment of the document that a front end may not read, or null */
function findClosedField(document: DocumentNode, schema: GraphQLSchema): string | null {
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
