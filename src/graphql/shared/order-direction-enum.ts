import type { SortOrder } from "../../domain/user-groups/list.js";
import { createEnum } from "./create-enum.js";

export type OrderDirectionValue = SortOrder<string>["direction"];

export const OrderDirection = createEnum<OrderDirectionValue>(
  "OrderDirection",
  "The direction in which a list is ordered.",
  {
    ASC: ["ascending", "Ascending: smallest or oldest first."],
    DESC: ["descending", "Descending: largest or newest first."],
  },
);
