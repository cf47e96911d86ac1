import { type ClassType, Field, InputType } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import type { SortOrder } from "../../domain/user-groups/list.js";
import { createEnum } from "./create-enum.js";
import { parseProvidedIds } from "./filter-inputs.js";
import { OrderDirection, type OrderDirectionValue } from "./order-direction-enum.js";

/**
 * Creates the input type for the order of a list.
 * @param items name of the items, for descriptions
 * @param fields sort fields, as for `createEnum`
 */
export function createOrderInput<SortField extends string>(
  name: string,
  items: string,
  fields: Parameters<typeof createEnum<SortField>>[2],
): ClassType<SortOrder<SortField>> {
  const fieldEnum = createEnum(`${name}Field`, `What a list of ${items} is sorted by.`, fields);

  @InputType(name, { description: `How a list of ${items} is sorted.` })
  class Order {
    @Field(() => fieldEnum, { description: "What the list is sorted by." })
    readonly field!: SortField;

    @Field(() => OrderDirection, { defaultValue: "ascending", description: "Which end comes first." })
    readonly direction!: OrderDirectionValue;
  }
  return Order;
}

/** Filter conditions shared by all lists of named items. */
@InputType()
export abstract class NamedItemFilter {
  @Field(() => [String], {
    nullable: true,
    description: "Those with one of these ids of yours; at most 1,000.",
  })
  readonly providedIds?: string[] | null;

  @Field(() => String, { nullable: true, description: "Those whose name has this part, whatever its case." })
  readonly nameContains?: string | null;
}

/** Parses the conditions; null or absent ones are omitted. @throws DomainError `invalid_field` */
export function parseNamedItemFilter({ providedIds, nameContains }: NamedItemFilter) {
  return {
    ...parseProvidedIds(providedIds),
    ...(nameContains ? { nameContains: parseText(nameContains, ["filter", "nameContains"]) } : {}),
  };
}
