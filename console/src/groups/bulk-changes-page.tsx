import { useState } from "react";
import {
  BulkChangeDocument,
  BulkChangeListDocument,
  type BulkChangePartsFragment,
} from "../api/generated/operations.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { Empty } from "../parts/empty.js";
import { Fact } from "../parts/facts.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { plural } from "../parts/plural.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useScope, useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { type BulkJob, newJob } from "./bulk-jobs.js";
import { BulkRunDialog } from "./bulk-run-dialog.js";
import { DownloadChange } from "./download-change.js";
import { UnfinishedChanges } from "./unfinished-changes.js";

/** The changes of many groups in the environment, newest first. */
export function BulkChangesPage() {
  const query = useQuery(BulkChangeListDocument, usePageVariables());
  return (
    <Page
      title="Bulk changes"
      back={{ href: hashOf(["groups"]), label: "Groups" }}
      description="Changes of many groups at once, newest first. Open one to undo it."
    >
      <UnfinishedChanges onDone={query.reload} />
      <Loaded query={query}>
        {({ bulkChanges }) => (
          <List
            caption="Bulk changes, newest first"
            page={bulkChanges}
            empty={<Empty title="No bulk changes yet">Select groups in the list, then “Change…”.</Empty>}
            columns={[
              {
                title: "Change",
                isRowHead: true,
                cell: (change) => <a href={hashOf(["bulk-changes", change.id])}>{titleOf(change)}</a>,
              },
              { title: "Groups", cell: ({ changedCount }) => changedCount.toLocaleString() },
              { title: "By", cell: ({ authorName }) => authorName },
              { title: "Time", cell: ({ createdAt }) => <Time at={createdAt} isRelative /> },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

/** A change of many groups, which can be undone. */
export function BulkChangePage({ name: id }: { readonly name: string }) {
  const query = useQuery(BulkChangeDocument, { id });
  return (
    <Page title="Bulk change" back={{ href: hashOf(["bulk-changes"]), label: "Bulk changes" }}>
      <Loaded query={query}>
        {({ bulkChange }) =>
          bulkChange ? (
            <Details change={bulkChange} onDone={query.reload} />
          ) : (
            <Empty title="There is no such bulk change">
              It may be older than the audit log, or have changed nothing.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}

interface DetailsProps {
  readonly change: BulkChangePartsFragment;
  readonly onDone: () => void;
}

function Details({ change, onDone }: DetailsProps) {
  const { id, undoOf, authorName, changedCount, createdAt, updatedAt } = change;
  const { viewer } = useSession();
  const [isAsking, setAsking] = useState(false);
  const [job, setJob] = useState<BulkJob | null>(null);
  const groups = plural(changedCount, "group");
  const isAdmin = useScope("ADMIN");
  return (
    <>
      <dl className="facts">
        <Fact label="Change">{titleOf(change)}</Fact>
        {undoOf !== null && (
          <Fact label="Undoes">
            <a className="code" href={hashOf(["bulk-changes", undoOf])}>
              {undoOf}
            </a>
          </Fact>
        )}
        <Fact label="Groups changed">{changedCount.toLocaleString()}</Fact>
        <Fact label="By">{authorName}</Fact>
        <Fact label="Begun">
          <Time at={createdAt} />
        </Fact>
        <Fact label="Last call">
          <Time at={updatedAt} />
        </Fact>
        <Fact label="ID" isWhole>
          <code>{id}</code>
        </Fact>
      </dl>
      <div className="actions">
        {viewer.userGroupHistoryDays > 0 && changedCount > 0 && (
          <button type="button" onClick={() => setAsking(true)}>
            Undo…
          </button>
        )}
        {changedCount > 0 && <DownloadChange id={id} />}
        {isAdmin && (
          <a className="button" href={hashOf(["audit"], { bulk: id })}>
            Show in the audit log
          </a>
        )}
      </div>
      {isAsking && (
        <ConfirmDialog
          title={`Undo the change of ${groups}?`}
          action={`Restore ${groups}`}
          isHarmless
          onConfirm={() => {
            setAsking(false);
            setJob(newJob({ undoOf: id }, changedCount));
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            Each gets the properties and the mapping that it had before. Groups that were changed since keep
            their values.
          </p>
        </ConfirmDialog>
      )}
      {job && <BulkRunDialog job={job} onClose={() => setJob(null)} onDone={onDone} />}
    </>
  );
}

const FIELDS: Readonly<Record<string, string>> = { properties: "Properties", mapping: "Mapping" };

function titleOf({ undoOf, changed }: BulkChangePartsFragment): string {
  const fields = changed.map((field) => FIELDS[field] ?? field).join(" and ");
  return undoOf === null ? fields : `Undo: ${fields.toLowerCase()}`;
}
