import { type FieldNode, type GraphQLNamedType, isObjectType, Kind, type ValueNode } from "graphql";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../../domain/shared/page.js";
import { COUNTS_ITEMS } from "../../shared/counts-items.js";
import { type Amount, fromVariables, type Variables } from "./amount.js";

/** How many items a list is taken to have of which nothing else is known, such as `mapping`. */
const ASSUMED_ITEMS = 10;

/**
 * How many items each list has that stands directly in what a field gives: the page size below a connection, known by its
 * fields `edges` and `pageInfo`.
 */
export function sizeOfListsIn(field: FieldNode, type: GraphQLNamedType): Amount {
  return isConnection(type) ? pageSize(field) : ASSUMED_ITEMS;
}

/**
 * How many items a list has whatever it stands in: as many as the caller names in `ids`, and one where its items are counted
 * when they are read; undefined for every other list.
 */
export function sizeOfList(field: FieldNode, parent: GraphQLNamedType | undefined): Amount | undefined {
  return parent?.extensions[COUNTS_ITEMS] === true ? 1 : sizeByIds(field);
}

/** How many items the lists have that stand directly in an operation. */
export const SIZE_OF_ROOT_LISTS = ASSUMED_ITEMS;

function sizeByIds(field: FieldNode): Amount | undefined {
  const ids = argument(field, "ids");
  if (ids === undefined) return undefined;
  if (ids.kind !== Kind.VARIABLE) return ids.kind === Kind.LIST ? ids.values.length : 1;
  return fromVariables((variables) => {
    const given = variables[ids.name.value];
    return Array.isArray(given) ? given.length : 1;
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
  const read = (variables: Variables) => toPageSize(given(first, variables) ?? given(last, variables));
  if (first?.kind === Kind.VARIABLE || last?.kind === Kind.VARIABLE) return fromVariables(read);
  return read({});
}

/** A size that is out of bounds is the resolver's to refuse, with an error that names the argument. */
function toPageSize(size: unknown): number {
  if (typeof size !== "number") return DEFAULT_PAGE_SIZE;
  return Math.min(Math.max(Math.trunc(size), 0), MAX_PAGE_SIZE);
}

function given(value: ValueNode | undefined, variables: Variables): unknown {
  if (value?.kind === Kind.VARIABLE) return variables[value.name.value];
  return value?.kind === Kind.INT ? Number(value.value) : undefined;
}

function argument(field: FieldNode, name: string): ValueNode | undefined {
  return field.arguments?.find((candidate) => candidate.name.value === name)?.value;
}
