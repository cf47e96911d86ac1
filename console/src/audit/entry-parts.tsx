import type { AuditPartsFragment } from "../api/generated/operations.js";
import { ACTIONS } from "../parts/audit-actions.js";
import { CopyButton } from "../parts/copy-button.js";
import { Icon } from "../parts/icon.js";
import { SubjectName } from "../parts/subject-name.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

/** The actors without an API key. */
const ACTORS: Readonly<Record<string, string>> = { cli: "command line", webhooks: "webhook delivery" };

export interface EntryProps {
  readonly entry: AuditPartsFragment;
}

/** The action, which links to all entries with it, and the changed fields. */
export function Action({ entry: { action, changed } }: EntryProps) {
  const linkTo = useFilterLink();
  return (
    <>
      <a className="plain" href={linkTo({ action })}>
        {ACTIONS[action]}
      </a>
      {changed.length > 0 && <span className="fine below">{changed.join(", ")}</span>}
    </>
  );
}

/** A link to the bulk change that the entry belongs to, if there is one. */
export function BulkChangeLink({ entry: { bulkChangeId } }: EntryProps) {
  if (bulkChangeId === null) return null;
  return (
    <a className="fine below" href={hashOf(["bulk-changes", bulkChangeId])}>
      Bulk change
    </a>
  );
}

/** The changed object, which links to its page if it has one, and to its entries. */
export function Subject({ entry: { action, subjectId, subjectName, subjectVersion } }: EntryProps) {
  const linkTo = useFilterLink();
  return (
    <>
      <SubjectName action={action} id={subjectId} name={subjectName} />
      {subjectVersion !== null && (
        <>
          {" "}
          <span className="fine word">
            {action.startsWith("USER_GROUP") && action !== "USER_GROUP_DELETED" ? (
              <a className="plain" href={hashOf(["groups", subjectName], { tab: "history" })}>
                version {subjectVersion}
              </a>
            ) : (
              `version ${subjectVersion}`
            )}
          </span>
        </>
      )}
      <a
        className="icon-button"
        href={linkTo({ subject: subjectName })}
        aria-label={`Filter by subject ${subjectName}`}
        title="Filter by this subject"
      >
        <Icon path="M4 5h16l-6 7.5V19l-4-2v-4.5z" />
      </a>
    </>
  );
}

/** The API key, person or operator that made the change, which links to all of its entries. */
export function Actor({ entry: { actor, actorName } }: EntryProps) {
  const linkTo = useFilterLink();
  return (
    <>
      <a className="plain" href={linkTo({ actor: actorName })}>
        {actorName}
      </a>
      <span className="fine below">
        {actor ? <code>{actor.hint}</code> : (ACTORS[actorName] ?? "person or operator")}
      </span>
    </>
  );
}

/** The request ID, which links to all entries of the request and can be copied. */
export function RequestId({ entry: { requestId } }: EntryProps) {
  const linkTo = useFilterLink();
  if (requestId === null) return <span className="fine">–</span>;
  return (
    <span>
      <a className="plain code shortened" href={linkTo({ request: requestId })} title={requestId}>
        {requestId}
      </a>
      <CopyButton label="Request ID" text={requestId} isIcon />
    </span>
  );
}

/** Returns a function that returns the link to the entries that also meet a condition. */
export function useFilterLink(): (condition: Readonly<Record<string, string>>) => string {
  const { path, query } = useRoute();
  return (condition) => hashOf(path, { ...query, ...condition, after: null, before: null });
}
