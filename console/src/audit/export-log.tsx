import { type AuditFilter, AuditLogDocument, type AuditPartsFragment } from "../api/generated/operations.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { saveFile } from "../parts/save-file.js";
import { useSession } from "../session/session.js";
import { useAction } from "../session/use-action.js";

const PAGE_SIZE = 250;
/** Maximum number of exported entries; they are held in memory. */
const MAX_ENTRIES = 10_000;
const COLUMNS = [
  "createdAt",
  "action",
  "subjectName",
  "subjectVersion",
  "changed",
  "actorName",
  "requestId",
  "subjectId",
] as const;

export function ExportLog({ filter }: { readonly filter: AuditFilter | undefined }) {
  const { client } = useSession();
  const notify = useNotice();

  async function load(): Promise<readonly AuditPartsFragment[]> {
    const entries: AuditPartsFragment[] = [];
    let after: string | null = null;
    do {
      const variables: { first: number; after: string | null; filter?: AuditFilter } = {
        first: PAGE_SIZE,
        after,
        ...(filter ? { filter } : {}),
      };
      const { auditLog } = await client.call(AuditLogDocument, variables);
      entries.push(...auditLog.nodes);
      after = auditLog.pageInfo.hasNextPage ? auditLog.pageInfo.endCursor : null;
    } while (after !== null && entries.length < MAX_ENTRIES);
    notify(
      after === null
        ? `${entries.length.toLocaleString()} ${entries.length === 1 ? "entry" : "entries"} exported.`
        : `Only the newest ${MAX_ENTRIES.toLocaleString()} entries were exported. Filter by time for others.`,
    );
    return entries;
  }

  const { isBusy, failure, run } = useAction(async (type: "csv" | "json") => {
    const entries = (await load()).map(toRecord);
    saveFile(`audit-log.${type}`, type === "csv" ? toCsv(entries) : `${JSON.stringify(entries, null, 2)}\n`);
  });
  return (
    <>
      <button type="button" aria-disabled={isBusy} onClick={() => void run("csv")}>
        Export CSV
      </button>
      <button type="button" aria-disabled={isBusy} onClick={() => void run("json")}>
        Export JSON
      </button>
      <Problem failure={failure} />
    </>
  );
}

type Entry = Pick<AuditPartsFragment, (typeof COLUMNS)[number]>;

function toRecord(entry: AuditPartsFragment): Entry {
  const { createdAt, action, subjectName, subjectVersion, changed, actorName, requestId, subjectId } = entry;
  return { createdAt, action, subjectName, subjectVersion, changed, actorName, requestId, subjectId };
}

/** Returns RFC 4180 text with a header row. */
function toCsv(entries: readonly Entry[]): string {
  const rows = entries.map((entry) => COLUMNS.map((column) => toCell(entry[column])));
  return [COLUMNS.join(","), ...rows.map((row) => row.join(","))].map((line) => `${line}\r\n`).join("");
}

function toCell(value: Entry[keyof Entry]): string {
  if (value === null) return "";
  const text = typeof value === "object" ? value.join(" ") : String(value);
  // An apostrophe, so that spreadsheets do not run a name as a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
