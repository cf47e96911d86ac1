import { GraphQLDateTime } from "graphql-scalars";
import { Field, InputType } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import type { TimeRange } from "../../domain/shared/time-range.js";
import { nullable } from "./nullable.js";

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
