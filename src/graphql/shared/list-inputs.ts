import { type ClassType, Field, InputType } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import type { ListOrder, SortField, SortOrder } from "../../domain/shared/pagination.js";
import { parseText } from "../../domain/shared/text-field.js";
import { createEnum } from "./create-enum.js";
import { nullable } from "./nullable.js";

const MAX_PROVIDED_IDS = 1000;

type Direction = SortOrder<string>["direction"];

const OrderDirection = createEnum<Direction>("OrderDirection", "The direction in which a list is ordered.", {
  ASC: ["ascending", "Ascending: smallest or oldest first."],
  DESC: ["descending", "Descending: largest or newest first."],
});

/** Creates the input type for the order of a list. @param items name of the items, for descriptions */
export function createOrderInput<Field extends string>(
  name: string,
  items: string,
  { fields }: ListOrder<string, Field>,
): ClassType<SortOrder<Field>> {
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
  return Order;
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
