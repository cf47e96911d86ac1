const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Returns how long a rotated token still works: "stops working immediately", or "can still be used to read for 5 minutes". */
export function gracePeriod(seconds: number): string {
  if (seconds === 0) return "stops working immediately";
  const [unit, length] = UNITS.find(([, length]) => seconds % length === 0) ?? ["second", 1];
  const period = new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay: "long" });
  return `can still be used to read for ${period.format(seconds / length)}`;
}
