import { GraphQLDateTime } from "graphql-scalars";
import { ArgsType, type ClassType, Field, InputType, Int } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import {
  DEFAULT_PAGE_SIZE,
  type ListOrder,
  MAX_PAGE_SIZE,
  type PageArguments,
  type SortField,
  type SortOrder,
} from "../../domain/shared/pagination.js";
import { parseText } from "../../domain/shared/text-field.js";
import type { TimeRange } from "../../domain/shared/time-range.js";
import { createEnum } from "./create-enum.js";
import { nullable } from "./nullable.js";

const MAX_PROVIDED_IDS = 1000;

/** The arguments of every connection (Relay's cursor connections). */
@ArgsType()
export class ConnectionArguments implements PageArguments {
  @Field(
    () => Int,
    nullable(
      `The number of items to return from the start of the list, at most ${MAX_PAGE_SIZE}. Defaults to ${DEFAULT_PAGE_SIZE} if neither \`first\` nor \`last\` is set.`,
    ),
  )
  readonly first?: number | null;

  @Field(() => String, nullable("Returns the items after this cursor."))
  readonly after?: string | null;

  @Field(
    () => Int,
    nullable(
      `The number of items to return from the end of the list, at most ${MAX_PAGE_SIZE}. Cannot be combined with \`first\`.`,
    ),
  )
  readonly last?: number | null;

  @Field(() => String, nullable("Returns the items before this cursor."))
  readonly before?: string | null;
}

/**
 * Creates the base of a list's arguments, which are those of a connection, a filter, and an order if clients can choose it.
 * @param items name of the items, for descriptions
 */
export function createListArguments<Filter extends object, Order extends string = never>(
  items: string,
  filterType: ClassType<Filter>,
  order?: OrderInput<Order>,
) {
  @ArgsType()
  abstract class ListArguments extends ConnectionArguments {
    @Field(() => filterType, nullable(`Filters the ${items}.`))
    readonly filter?: Filter | null;

    readonly orderBy?: SortOrder<Order> | null;
  }
  if (order) {
    const description = `The order of the ${items}. Defaults to ${order.default}.`;
    Field(() => order.type, nullable(description))(ListArguments.prototype, "orderBy");
  }
  return ListArguments;
}

interface OrderInput<Order> {
  readonly type: ClassType<SortOrder<Order>>;
  /** The default order, for descriptions. */
  readonly default: string;
}

type Direction = SortOrder<string>["direction"];

const OrderDirection = createEnum<Direction>("OrderDirection", "The direction in which a list is ordered.", {
  ASC: ["ascending", "Ascending: smallest or oldest first."],
  DESC: ["descending", "Descending: largest or newest first."],
});

/** Creates the input type for the order of a list. @param items name of the items, for descriptions */
export function createOrderInput<Field extends string>(
  name: string,
  items: string,
  { fields, default: by }: ListOrder<string, Field>,
): OrderInput<Field> {
  const members = Object.entries<SortField<string>>(fields).map(
    ([field, { description = "" }]) => [enumName(field), [field, description]] as const,
  );
  const description = `Fields by which ${items} can be ordered.`;
  const fieldEnum = createEnum(`${name}Field`, description, Object.fromEntries(members));

  @InputType(name, { description: `Ordering options for ${items}.` })
  class Order {
    @Field(() => fieldEnum, { description: "The field to order by." })
    readonly field!: Field;

    @Field(() => OrderDirection, { defaultValue: "ascending", description: "The direction of the order." })
    readonly direction!: Direction;
  }
  return { type: Order, default: `\`${enumName(by.field)}\`, ${by.direction}` };
}

function enumName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Filter conditions shared by all lists of named items. */
@InputType()
export abstract class NamedItemFilter {
  @Field(() => [String], nullable(`Items with one of these external IDs, at most ${MAX_PROVIDED_IDS}.`))
  readonly providedIds?: string[] | null;

  @Field(() => String, nullable("Items whose name contains this text, ignoring case."))
  readonly nameContains?: string | null;
}

/** Parses the conditions; null or absent ones are omitted. @throws DomainError `invalid_field` */
export function parseNamedItemFilter({ providedIds, nameContains }: NamedItemFilter) {
  return {
    ...(providedIds ? { providedIds: parseProvidedIds(providedIds) } : {}),
    ...(nameContains ? { nameContains: parseText(nameContains, ["filter", "nameContains"]) } : {}),
  };
}

function parseProvidedIds(providedIds: readonly string[]): readonly string[] {
  const field = ["filter", "providedIds"];
  if (providedIds.length > MAX_PROVIDED_IDS)
    throw invalidField(field, `must have at most ${MAX_PROVIDED_IDS} IDs`);
  return providedIds.map((id) => parseText(id, field));
}

@InputType("DateTimeRange", { description: "A time range. An omitted bound is open." })
export class DateTimeRangeInput {
  @Field(() => GraphQLDateTime, nullable("The start of the range, inclusive."))
  readonly from?: Date | null;

  @Field(() => GraphQLDateTime, nullable("The end of the range, exclusive."))
  readonly to?: Date | null;
}

/** @throws DomainError `invalid_field` */
export function parseTimeRange({ from, to }: DateTimeRangeInput, name: string): TimeRange {
  return {
    ...(from ? { from: parseTime(from, ["filter", name, "from"]) } : {}),
    ...(to ? { to: parseTime(to, ["filter", name, "to"]) } : {}),
  };
}

function parseTime(time: Date, field: readonly string[]): Date {
  const year = time.getUTCFullYear();
  if (year < 1 || year > 9999) throw invalidField(field, "must be between the years 1 and 9999");
  return time;
}
