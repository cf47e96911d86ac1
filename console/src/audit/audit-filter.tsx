import type { AuditAction, AuditFilter } from "../api/generated/operations.js";
import { ACTIONS } from "../parts/audit-actions.js";
import { useGoTo, useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

const DAY_MS = 86_400_000;

/** Returns the filter from the URL; both dates are inclusive. */
export function useAuditFilter(): AuditFilter | undefined {
  const { action, subject, from, to } = useRoute().query;
  const [start, end] = [startOfDay(from), startOfDay(to)];
  const known = actionNames().find((each) => each === action);
  const range = {
    ...(start ? { from: start.toISOString() } : {}),
    // Days may have 23 or 25 hours.
    ...(end ? { to: startOfDayAfter(end).toISOString() } : {}),
  };
  const filter = {
    ...(known ? { actions: [known] } : {}),
    ...(subject ? { subjectName: subject } : {}),
    ...(start || end ? { createdAt: range } : {}),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** The filter form of the audit log. */
export function AuditSearch() {
  const { path, query } = useRoute();
  const goTo = useGoTo();
  return (
    <search>
      <form
        key={JSON.stringify(query)}
        className="search"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          const entries = [...fields].map(([name, value]) => [name, typeof value === "string" ? value : ""]);
          goTo(hashOf(path, Object.fromEntries(entries)));
        }}
      >
        <label>
          Action
          <select name="action" defaultValue={query["action"] ?? ""}>
            <option value="">All actions</option>
            {Object.entries(ACTIONS).map(([action, label]) => (
              <option key={action} value={action}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Subject
          <input name="subject" defaultValue={query["subject"]} placeholder="acme" autoComplete="off" />
        </label>
        <label>
          From
          <input name="from" type="date" defaultValue={query["from"]} />
        </label>
        <label>
          To
          <input name="to" type="date" defaultValue={query["to"]} />
        </label>
        <button type="submit">Filter</button>
      </form>
    </search>
  );
}

function actionNames(): AuditAction[] {
  return Object.keys(ACTIONS).filter((name): name is AuditAction => Object.hasOwn(ACTIONS, name));
}

/** In the browser's time zone, as shown in the list. */
function startOfDay(day: string | undefined): Date | undefined {
  if (day === undefined) return undefined;
  const start = new Date(`${day}T00:00`);
  return Number.isNaN(start.getTime()) ? undefined : start;
}

function startOfDayAfter(start: Date): Date {
  const next = new Date(start.getTime() + 1.5 * DAY_MS);
  next.setHours(0, 0, 0, 0);
  return next;
}
