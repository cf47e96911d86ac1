import { useState } from "react";
import {
  GroupHistoryDocument,
  type GroupHistoryQuery,
  RestoreGroupDocument,
} from "../api/generated/operations.js";
import { CodeDiff } from "../parts/code-editor/code-editor.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { CloseAction, Dialog } from "../parts/dialog.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import type { GroupProps } from "./group-form.js";
import { useUndoNotice } from "./undo.js";

type Version = NonNullable<GroupHistoryQuery["userGroup"]>["history"]["nodes"][number];

/** The former values of a group, reloaded after each change. */
export function GroupHistory({ group, onUpdate }: GroupProps) {
  const days = useSession().viewer.userGroupHistoryDays;
  if (days === 0) return null;
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <p className="fine">Former values are kept for {days} days after a change.</p>
      <Versions key={group.version} group={group} onUpdate={onUpdate} />
    </section>
  );
}

function Versions({ group, onUpdate }: GroupProps) {
  const query = useQuery(GroupHistoryDocument, { id: group.id, ...usePageVariables() });
  const [shown, setShown] = useState<Version | null>(null);
  const notify = useUndoNotice(onUpdate);
  return (
    <>
      <Loaded query={query}>
        {({ userGroup }) =>
          userGroup && (
            <List
              caption="Former versions, newest first"
              page={{
                ...userGroup.history,
                nodes: userGroup.history.nodes.map((node) => ({ ...node, id: String(node.version) })),
              }}
              empty={<p>The group has no former values.</p>}
              columns={[
                { title: "Version", isRowHead: true, cell: ({ version }) => version },
                { title: "Name", isWideOnly: true, cell: ({ name }) => name },
                { title: "Replaced", cell: ({ replacedAt }) => <Time at={replacedAt} isRelative /> },
                { title: "By", isWideOnly: true, cell: ({ replacedBy }) => replacedBy },
                {
                  title: "Actions",
                  isTitleHidden: true,
                  className: "row-actions",
                  cell: (item) => (
                    <>
                      <button
                        type="button"
                        aria-label={`Compare version ${item.version}`}
                        onClick={() => setShown(item)}
                      >
                        Compare
                      </button>
                      {item.mapping && (
                        <MutationButton
                          label="Restore…"
                          name={`Restore version ${item.version}`}
                          title={`Restore version ${item.version}?`}
                          action="Restore version"
                          isHarmless
                          document={RestoreGroupDocument}
                          variables={{
                            input: {
                              by: { id: group.id },
                              version: item.version,
                              expectedVersion: group.version,
                            },
                          }}
                          onDone={(payload) => {
                            if (!payload.userGroup) return;
                            onUpdate(payload.userGroup);
                            notify(`Version ${item.version} was restored.`, group, payload.userGroup);
                          }}
                        >
                          <p>
                            The group gets the name, properties and mapping of version {item.version}. Its
                            token stays, and the current values are kept in the history.
                          </p>
                        </MutationButton>
                      )}
                    </>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {shown && (
        <Dialog title={`Version ${shown.version}`} isWide onClose={() => setShown(null)}>
          <p>
            Changes from <strong>version {shown.version}</strong> to <strong>version {group.version}</strong>,
            the current one
          </p>
          <CodeDiff
            before={{ label: `Version ${shown.version}`, text: textOf(shown) }}
            after={{ label: `Version ${group.version}, the current one`, text: textOf(group) }}
          />
          <CloseAction onClose={() => setShown(null)} />
        </Dialog>
      )}
    </>
  );
}

function textOf({ name, properties, mapping }: Pick<Version, "name" | "properties" | "mapping">): string {
  const entries = mapping?.map(({ schemaId, dataSource }) => [schemaId, dataSource.providedId]);
  return JSON.stringify({ name, properties, mapping: entries && Object.fromEntries(entries) }, null, 2);
}
