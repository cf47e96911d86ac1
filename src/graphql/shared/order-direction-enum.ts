import type { SortOrder } from "../../domain/user-groups/list.js";
import { createEnum } from "./create-enum.js";

export type OrderDirectionValue = SortOrder<string>["direction"];

export const OrderDirection = createEnum<OrderDirectionValue>(
  "OrderDirection",
  "Which end of a sorted list comes first.",
  {
    ASC: ["ascending", "The smallest or oldest first."],
    DESC: ["descending", "The largest or newest first."],
  },
);
