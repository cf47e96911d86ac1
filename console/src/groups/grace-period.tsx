import { useSession } from "../session/session.js";

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Says how long a rotated token still works: "stops working immediately", or "can be used to read for another 5 minutes". */
export function GracePeriod() {
  const { tokenGraceSeconds } = useSession().viewer;
  if (tokenGraceSeconds === 0) return "stops working immediately";
  const [unit, seconds] = UNITS.find(([, length]) => tokenGraceSeconds % length === 0) ?? ["second", 1];
  const period = new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay: "long" });
  return `can be used to read for another ${period.format(tokenGraceSeconds / seconds)}`;
}
