/** A half-open time range `[from, to)`; either end may be absent. */
export interface TimeRange {
  readonly from?: Date;
  readonly to?: Date;
}
