import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { parseJson } from "../api/exact-json.js";
import { toFailure } from "../api/failure.js";
import {
  GroupHistoryDocument,
  type GroupHistoryQuery,
  RestoreGroupDocument,
  UpdateGroupDocument,
} from "../api/generated/operations.js";
import { CodeDiff } from "../parts/code-editor/code-editor.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { CloseAction, Dialog } from "../parts/dialog.js";
import { LoadProblem } from "../parts/loaded.js";
import { Problem } from "../parts/problem.js";
import { Skeleton } from "../parts/skeleton.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useScope, useSession } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";
import { changesBetween, draftOf, draftWith, type GroupValues, PROPERTY, valuesOf } from "./group-draft.js";
import type { GroupProps } from "./group-form.js";
import { useUndoNotice } from "./undo.js";

const PAGE_SIZE = 25;
/** Cursor of the first page. */
const FIRST_PAGE: string | null = null;
/** A row shows this many changed fields; the comparison shows all. */
const MAX_FIELDS = 6;
const MAX_TEXT = 60;

type Version = NonNullable<GroupHistoryQuery["userGroup"]>["history"]["nodes"][number];

/** A change of a group. Its author and time are those of the former values, which it replaced. */
interface Change {
  readonly before: Version;
  readonly after: Pick<Version, "name" | "properties" | "mapping">;
  /** The version that it created. */
  readonly version: number;
  readonly fields: readonly Field[];
}

/** A changed field, with its values as `valuesOf` returns them; undefined if it was not set. */
interface Field {
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The changes of a group, newest first, and its former values. */
export function GroupHistory({ group, onUpdate }: GroupProps) {
  const { viewer } = useSession();
  const isAdmin = useScope("ADMIN");
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <p className="fine">
        Former values are kept for {viewer.userGroupHistoryDays} days after a change.{" "}
        {isAdmin && <a href={hashOf(["audit"], { subject: group.providedId })}>Show in the audit log</a>}
      </p>
      <Changes key={group.version} group={group} onUpdate={onUpdate} />
    </section>
  );
}

function Changes({ group, onUpdate }: GroupProps) {
  const { client, isOpen } = useSession();
  const [compared, setCompared] = useState<Change | null>(null);
  const query = useInfiniteQuery({
    queryKey: ["history", group.id],
    queryFn: ({ pageParam: after, signal }) => {
      const variables = { id: group.id, first: PAGE_SIZE, ...(after === null ? {} : { after }) };
      return client.call(GroupHistoryDocument, variables, { signal });
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ userGroup }) =>
      userGroup?.history.pageInfo.hasNextPage ? userGroup.history.pageInfo.endCursor : null,
    enabled: isOpen,
  });
  const { data, failureReason, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const versions = data?.pages.flatMap(({ userGroup }) => userGroup?.history.nodes ?? []);
  return (
    <>
      <LoadProblem failure={failureReason && toFailure(failureReason)} onRetry={() => void refetch()} />
      {!versions && !failureReason && <Skeleton />}
      {versions?.length === 0 && <p>The group has no former values.</p>}
      {versions && versions.length > 0 && (
        <ol className="rows history card" aria-label="Changes, newest first">
          {versions.map((before, index) => {
            const change = changeOf(before, versions[index - 1] ?? group);
            return (
              <ChangeRow
                key={before.version}
                change={change}
                group={group}
                onUpdate={onUpdate}
                onCompare={() => setCompared(change)}
              />
            );
          })}
        </ol>
      )}
      {hasNextPage && (
        <button type="button" aria-disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older changes
        </button>
      )}
      {compared && (
        <Comparison change={compared} group={group} onUpdate={onUpdate} onClose={() => setCompared(null)} />
      )}
    </>
  );
}

interface ChangeProps extends GroupProps {
  readonly change: Change;
}

function ChangeRow({ change, group, onUpdate, onCompare }: ChangeProps & { readonly onCompare: () => void }) {
  const { before, version, fields } = change;
  const notify = useUndoNotice(onUpdate);
  return (
    <li>
      <div>
        <p className="fine">
          <strong>Version {version}</strong> by {before.replacedBy},{" "}
          <Time at={before.replacedAt} isRelative />
          {before.bulkChangeId !== null && (
            <>
              , in a <a href={hashOf(["bulk-changes", before.bulkChangeId])}>bulk change</a>
            </>
          )}
        </p>
        <ul>
          {fields.slice(0, MAX_FIELDS).map((field) => (
            <li key={field.name}>
              <FieldChange {...field} />
            </li>
          ))}
          {fields.length > MAX_FIELDS && <li className="fine">and {fields.length - MAX_FIELDS} more</li>}
          {before.mapping === null && (
            <li className="fine">Its change of the mapping is unknown: no history was kept.</li>
          )}
        </ul>
      </div>
      <div className="row-actions">
        <button
          type="button"
          aria-label={`Compare version ${version} with the one before`}
          onClick={onCompare}
        >
          Compare
        </button>
        {before.mapping && (
          <MutationButton
            label="Restore…"
            name={`Restore version ${before.version}`}
            title={`Restore version ${before.version}?`}
            action="Restore version"
            isHarmless
            document={RestoreGroupDocument}
            variables={{
              input: { by: { id: group.id }, version: before.version, expectedVersion: group.version },
            }}
            onDone={(payload) => {
              if (!payload.userGroup) return;
              onUpdate(payload.userGroup);
              notify(`Version ${before.version} was restored.`, group, payload.userGroup);
            }}
          >
            <p>
              The group gets the name, properties and mapping of version {before.version}, as they were before
              this change. Its token stays, and the current values are kept in the history.
            </p>
          </MutationButton>
        )}
      </div>
    </li>
  );
}

/** Compares the values before and after a change. Each changed field can be restored by itself. */
function Comparison({ change, group, onUpdate, onClose }: ChangeProps & { readonly onClose: () => void }) {
  const { before, after, version, fields } = change;
  const update = useMutation(UpdateGroupDocument);
  const notify = useUndoNotice(onUpdate);
  const current = valuesOf(draftOf(group));

  async function restore({ name, from }: Field) {
    const values = new Map(current);
    if (from === undefined) values.delete(name);
    else values.set(name, from);
    const changes = changesBetween(draftOf(group), draftWith(values));
    const payload = await update.run({
      input: { by: { id: group.id }, expectedVersion: group.version, ...changes },
    });
    if (!payload?.userGroup) return;
    onClose();
    onUpdate(payload.userGroup);
    notify(`${name} was restored.`, group, payload.userGroup);
  }
  return (
    <Dialog title={`Change to version ${version}`} isWide onClose={onClose}>
      <ul className="rows">
        {fields.map((field) => (
          <li key={field.name}>
            <span>
              <FieldChange {...field} />
            </span>
            {current.get(field.name) !== field.from && (
              <button
                type="button"
                aria-label={`Restore ${field.name}`}
                aria-disabled={update.isBusy}
                onClick={() => void restore(field)}
              >
                Restore
              </button>
            )}
          </li>
        ))}
      </ul>
      <Problem failure={update.failure} errors={update.errors} />
      <CodeDiff
        before={{ label: `Version ${before.version}`, text: textOf(before) }}
        after={{ label: `Version ${version}`, text: textOf(after) }}
      />
      <CloseAction onClose={onClose} />
    </Dialog>
  );
}

function FieldChange({ name, from, to }: Field) {
  const isProperty = name.startsWith(PROPERTY);
  const shorten = (value: string | undefined) => {
    if (value === undefined) return "not set";
    const text = isProperty && value.startsWith('"') ? parseJson<string>(value) : value;
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  };
  return (
    <>
      {isProperty ? name.slice(PROPERTY.length) : name}: <span className="code">{shorten(from)}</span>{" "}
      <span aria-hidden="true">→ </span>
      <span className="unseen">changed to </span>
      <span className="code">{shorten(to)}</span>
    </>
  );
}

function changeOf(before: Version, after: Change["after"]): Change {
  // An unknown mapping is compared with none.
  const isKnown = before.mapping !== null && after.mapping !== null;
  const values = ({ name, properties, mapping }: Change["after"]): GroupValues => ({
    name,
    properties,
    mapping: isKnown ? (mapping ?? []) : [],
  });
  const [former, next] = [valuesOf(draftOf(values(before))), valuesOf(draftOf(values(after)))];
  const fields = [...new Set([...former.keys(), ...next.keys()])]
    .map((name) => ({ name, from: former.get(name), to: next.get(name) }))
    .filter(({ from, to }) => from !== to);
  return { before, after, version: before.version + 1, fields };
}

function textOf({ name, properties, mapping }: Change["after"]): string {
  const entries = mapping?.map(({ schemaId, dataSource }) => [schemaId, dataSource.providedId]);
  return JSON.stringify({ name, properties, mapping: entries && Object.fromEntries(entries) }, null, 2);
}
