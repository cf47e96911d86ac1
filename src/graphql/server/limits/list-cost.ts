import { type FieldNode, type GraphQLNamedType, isObjectType, Kind, type ValueNode } from "graphql";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../../domain/shared/pagination.js";
import { COUNTS_ITEMS } from "../../shared/reply-budget.js";
import { type Amount, fromVariables, type Variables } from "./amount.js";

/** Assumed size of lists without a page size, such as `mapping`. */
const ASSUMED_ITEMS = 10;

/**
 * Returns the assumed size of lists directly below a field: the page size for a connection (a type with `edges` and
 * `pageInfo`), otherwise a constant.
 */
export function sizeOfListsIn(field: FieldNode, type: GraphQLNamedType): Amount {
  // A router loads the entities of many pages at once. The reply budget counts their mapping entries when they are read.
  if (argument(field, "representations")) return 1;
  return isConnection(type) ? pageSize(field) : ASSUMED_ITEMS;
}

/**
 * Returns the size of a list that does not depend on its parent field: the length of `ids` or `representations`, or 1 if the reply budget counts the
 * items when they are read; undefined for every other list.
 */
export function sizeOfList(field: FieldNode, parent: GraphQLNamedType | undefined): Amount | undefined {
  return parent?.extensions[COUNTS_ITEMS] === true ? 1 : sizeByIds(field);
}

/** Assumed size of lists that are root fields. */
export const SIZE_OF_ROOT_LISTS = ASSUMED_ITEMS;

function sizeByIds(field: FieldNode): Amount | undefined {
  const ids = argument(field, "ids") ?? argument(field, "representations");
  if (ids === undefined) return undefined;
  if (ids.kind !== Kind.VARIABLE) return ids.kind === Kind.LIST ? ids.values.length : 1;
  return fromVariables((variables) => {
    const value = variables[ids.name.value];
    return Array.isArray(value) ? value.length : 1;
  });
}

function isConnection(type: GraphQLNamedType): boolean {
  if (!isObjectType(type)) return false;
  const fields = type.getFields();
  return fields["edges"] !== undefined && fields["pageInfo"] !== undefined;
}

function pageSize(field: FieldNode): Amount {
  const first = argument(field, "first");
  const last = argument(field, "last");
  const read = (variables: Variables) =>
    toPageSize(argumentValue(first, variables) ?? argumentValue(last, variables));
  if (first?.kind === Kind.VARIABLE || last?.kind === Kind.VARIABLE) return fromVariables(read);
  return read({});
}

/** Clamps instead of rejecting: the resolver reports an invalid size with the name of the argument. */
function toPageSize(size: unknown): number {
  if (typeof size !== "number") return DEFAULT_PAGE_SIZE;
  return Math.min(Math.max(Math.trunc(size), 0), MAX_PAGE_SIZE);
}

function argumentValue(value: ValueNode | undefined, variables: Variables): unknown {
  if (value?.kind === Kind.VARIABLE) return variables[value.name.value];
  return value?.kind === Kind.INT ? Number(value.value) : undefined;
}

function argument(field: FieldNode, name: string): ValueNode | undefined {
  return field.arguments?.find((candidate) => candidate.name.value === name)?.value;
}
