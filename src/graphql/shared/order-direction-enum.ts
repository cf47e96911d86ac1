import { registerEnumType } from "type-graphql";

export const OrderDirection = { ASC: "ascending", DESC: "descending" } as const;

export type OrderDirectionValue = (typeof OrderDirection)[keyof typeof OrderDirection];

registerEnumType(OrderDirection, {
  name: "OrderDirection",
  description: "Which end of a sorted list comes first.",
  valuesConfig: {
    ASC: { description: "The smallest or oldest first." },
    DESC: { description: "The largest or newest first." },
  },
});
