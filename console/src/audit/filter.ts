import type { AuditAction, AuditFilter } from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
import { ACTIONS } from "../parts/audit-actions.js";
import { useRoute } from "../routing/navigation.js";

const DAY_MS = 86_400_000;

/**
 * Returns the filter in the URL, and errors for its invalid parameters. Both dates are inclusive, in the browser's time zone as shown in
 * the list.
 */
export function useAuditFilter(): { filter: AuditFilter | undefined; errors: UserErrors } {
  const { action, actor, subject, request, bulk, from, to } = useRoute().query;
  const [start, end] = [startOfDay(from), startOfDay(to)];
  const known = actionNames().find((each) => each === action);
  const range = {
    ...(start ? { from: start.toISOString() } : {}),
    // Days may have 23 or 25 hours.
    ...(end ? { to: startOfDayAfter(end).toISOString() } : {}),
  };
  const filter = {
    ...(known ? { actions: [known] } : {}),
    ...(actor ? { actorName: actor } : {}),
    ...(subject ? { subjectName: subject } : {}),
    ...(request ? { requestId: request } : {}),
    ...(bulk ? { bulkChangeId: bulk } : {}),
    ...(start || end ? { createdAt: range } : {}),
  };
  const errors = [
    ...(action && !known ? [errorOf("action", action, "an action of the list")] : []),
    ...(from && !start ? [errorOf("from", from, DAY_RULE)] : []),
    ...(to && !end ? [errorOf("to", to, DAY_RULE)] : []),
  ];
  return { filter: Object.keys(filter).length > 0 ? filter : undefined, errors };
}

const DAY_RULE = "a day such as 2026-11-22";

function errorOf(name: string, value: string, rule: string): UserErrors[number] {
  return {
    code: "INVALID_FIELD",
    field: [name],
    message: `The filter “${name}” must be ${rule}, not “${value}”.`,
  };
}

/** Returns a day in the browser's time zone as in the URL, such as `2026-11-22`. */
export function dayOf(time: Date): string {
  const [month, day] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${time.getFullYear()}-${month}-${day}`;
}

/** Returns the day some days ago, as in the URL. */
export function daysAgo(days: number): string {
  return dayOf(new Date(Date.now() - days * DAY_MS));
}

function actionNames(): AuditAction[] {
  return Object.keys(ACTIONS).filter((name): name is AuditAction => Object.hasOwn(ACTIONS, name));
}

function startOfDay(day: string | undefined): Date | undefined {
  if (!day) return undefined;
  const start = new Date(`${day}T00:00`);
  return Number.isNaN(start.getTime()) ? undefined : start;
}

function startOfDayAfter(start: Date): Date {
  const next = new Date(start.getTime() + 1.5 * DAY_MS);
  next.setHours(0, 0, 0, 0);
  return next;
}
