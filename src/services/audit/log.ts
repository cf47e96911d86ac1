import type { Tenant } from "../../domain/accounts/caller.js";
import type {
  AuditEntry,
  AuditFilter,
  AuditSortField,
  DayCount,
  UsageDay,
} from "../../domain/audit/entry.js";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import {
  AUDIT_LOG,
  countEntriesOfGroups,
  countSessionDays,
  listEntriesOfGroups,
} from "../../persistence/audit/entries.js";
import { countAuditDays, countAuditDaysOfKeys, readUsage } from "../../persistence/audit/usage-days.js";
import type { Database } from "../../persistence/database/database.js";
import type { Usage } from "../accounts/usage.js";
import { StoredList } from "../shared/item-list.js";

const DAY_MS = 86_400_000;

/** Reads the audit log and the counts of embed sessions and requests. */
export class AuditLog {
  readonly list: StoredList<AuditEntry, AuditFilter, AuditSortField>;

  /** @param keptDays how long entries are kept; 0 keeps them forever */
  constructor(
    private readonly db: Database,
    private readonly keptDays: number,
    private readonly usage: Usage,
  ) {
    this.list = new StoredList(db, AUDIT_LOG);
  }

  /** Returns the same page of entries per user group, in the order of the IDs. */
  async pagesOfGroups(
    tenant: Tenant,
    ids: readonly number[],
    { filter, page }: { readonly filter: AuditFilter; readonly page: PageRequest },
  ): Promise<Page<AuditEntry>[]> {
    return listEntriesOfGroups(this.db.for(tenant), ids, filter, page);
  }

  /** Returns the number of entries per user group, in the order of the IDs. */
  async countsOfGroups(tenant: Tenant, ids: readonly number[], filter: AuditFilter): Promise<number[]> {
    return countEntriesOfGroups(this.db.for(tenant), ids, filter);
  }

  /** Counts the changes, without embed sessions, of each of the last days in UTC, oldest first; the last one is today. */
  async countDays(tenant: Tenant, days: number): Promise<DayCount[]> {
    this.usage.recordRead(tenant);
    const period = lastDays(days);
    return fillDays(period, await countAuditDays(this.db.for(tenant), period.since));
  }

  /** Counts the changes and embed sessions of each API key, like `countDays`, in the order of the IDs. */
  async countDaysOfKeys(tenant: Tenant, days: number, keyIds: readonly number[]): Promise<DayCount[][]> {
    this.usage.recordRead(tenant);
    const period = lastDays(days);
    return fillDaysOf(period, keyIds, await countAuditDaysOfKeys(this.db.for(tenant), period.since, keyIds));
  }

  /** Counts the embed sessions of each user group, like `countDays`, in the order of the IDs. */
  async countSessionDays(tenant: Tenant, days: number, groupIds: readonly number[]): Promise<DayCount[][]> {
    const period = lastDays(days);
    return fillDaysOf(period, groupIds, await countSessionDays(this.db.for(tenant), period.since, groupIds));
  }

  /** Returns the usage of each of the last days in UTC, oldest first; the last one is today. */
  async usageDays(tenant: Tenant, days: number): Promise<UsageDay[]> {
    this.usage.recordRead(tenant);
    const { since, dates } = lastDays(days);
    const used = await readUsage(this.db.for(tenant), since);
    const byDate = new Map(used.map((day) => [day.date, day]));
    let existing = used.reduce((sum, day) => sum + day.existing, 0);
    const newestFirst = dates.toReversed().map((date, age): UsageDay => {
      const { added = 0, embedSessions = 0, calls = 0, errors = 0 } = byDate.get(date) ?? {};
      const userGroups = this.keptDays > 0 && age > this.keptDays ? null : existing;
      existing -= added;
      return { date, userGroups, embedSessions, calls, errors };
    });
    return newestFirst.toReversed();
  }
}

interface Period {
  readonly since: Date;
  /** The days in UTC, oldest first; the last one is today. */
  readonly dates: readonly string[];
}

function lastDays(days: number): Period {
  const since = new Date().setUTCHours(0, 0, 0, 0) - (days - 1) * DAY_MS;
  const dates = Array.from({ length: days }, (_, index) =>
    new Date(since + index * DAY_MS).toISOString().slice(0, 10),
  );
  return { since: new Date(since), dates };
}

function fillDays({ dates }: Period, counted: readonly DayCount[]): DayCount[] {
  const counts = new Map(counted.map((day) => [day.date, day.count]));
  return dates.map((date) => ({ date, count: counts.get(date) ?? 0 }));
}

function fillDaysOf(period: Period, ids: readonly number[], counted: readonly DayCount[]): DayCount[][] {
  const byId = new Map(ids.map((id): [number | undefined, DayCount[]] => [id, []]));
  for (const day of counted) byId.get(day.id)?.push(day);
  return ids.map((id) => fillDays(period, byId.get(id) ?? []));
}
