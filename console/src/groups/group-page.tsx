import { useRef, useState } from "react";
import { GroupDocument } from "../api/generated/operations.js";
import { CopyButton } from "../parts/copy-button.js";
import { EmbedCode } from "../parts/embed/embed-code.js";
import { Preview } from "../parts/embed/preview.js";
import { Fact } from "../parts/facts.js";
import { Loaded } from "../parts/loaded.js";
import { useNotice } from "../parts/notices.js";
import { Page } from "../parts/page.js";
import { Recent } from "../parts/recent.js";
import { PageTabs } from "../parts/tabs.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { SessionContext, useScope, useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { DeleteGroup } from "./delete-group.js";
import { EmbedSession } from "./embed-session.js";
import { GroupActivity } from "./group-activity.js";
import { GroupCode } from "./group-code.js";
import { changesBetween, draftOf, type GroupDraft, pictureOf } from "./group-draft.js";
import { GroupForm, type GroupProps } from "./group-form.js";
import { GroupHistory } from "./group-history.js";
import { GroupToken, RotateToken } from "./group-token.js";
import { PropertyErrors } from "./property-report.js";
import { ToolFrames } from "./tool-frames.js";
import { type GroupChange, useGroupChanges } from "./use-group-changes.js";

const BACK = { href: hashOf(["groups"]), label: "Groups" };

export function GroupPage({ name: providedId }: { readonly name: string }) {
  const session = useSession();
  const query = useQuery(GroupDocument, { providedId });
  const found = query.data?.userGroup;
  // When the group is deleted elsewhere, its page stays with what was typed.
  const [last, setLast] = useState(found);
  if (found && found !== last) setLast(found);
  if (!query.data) {
    return (
      <Page title={providedId} back={BACK}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  const group = found ?? last;
  if (!group) return <NoGroup providedId={providedId} />;
  // A deleted group offers no actions.
  const viewer = found ? session.viewer : { ...session.viewer, scope: "READ" as const };
  return (
    <SessionContext value={{ ...session, viewer }}>
      <GroupDetails group={group} isDeleted={!found} reload={query.reload} />
    </SessionContext>
  );
}

function NoGroup({ providedId }: { readonly providedId: string }) {
  const isAdmin = useScope("ADMIN");
  return (
    <Page title="Group not found" back={BACK}>
      <p>
        This environment has no group with the external ID <code>{providedId}</code>. It may have been
        deleted.
      </p>
      <p className="actions">
        <a href={BACK.href}>Show all groups</a>
        {isAdmin && <a href={hashOf(["audit"], { subject: providedId })}>Show in the audit log</a>}
      </p>
    </Page>
  );
}

interface GroupDetailsProps extends Pick<GroupProps, "group"> {
  readonly isDeleted: boolean;
  readonly reload: () => void;
}

function GroupDetails({ group: loaded, isDeleted, reload }: GroupDetailsProps) {
  // The result of a mutation or an event is newer than the loaded group until the next reload.
  const [changed, setChanged] = useState(loaded);
  const group = changed.id === loaded.id && changed.version >= loaded.version ? changed : loaded;
  const isMapped = group.mapping.length > 0;
  /** The version that this tab has saved last, which may not be rendered yet. */
  const savedVersion = useRef(0);
  function update(next: GroupProps["group"]) {
    savedVersion.current = next.version;
    setChanged(next);
  }
  const notify = useNotice();
  const { client, viewer } = useSession();
  const onChange = async ({ kind, userGroup }: GroupChange) => {
    if (!userGroup) return reload();
    const { version } = userGroup;
    const known = Math.max(group.version, savedVersion.current);
    // The names of data sources change without a new version.
    if (version > known || (version === known && kind === "UPDATED")) setChanged(userGroup);
    if (version <= known) return;
    // The event of a change by this tab may arrive before the reply.
    await client.idle();
    if (version > savedVersion.current) notify("This group was changed elsewhere just now.");
  };
  useGroupChanges(group.id, (change) => void onChange(change), reload);
  const [sessions, setSessions] = useState<readonly string[]>([]);
  const addSession = (session: string) => setSessions([...sessions, session]);
  const [draft, setDraft] = useState<GroupDraft | null>(null);
  const canWrite = useScope("WRITE");
  const canEmbed = useScope("EMBED");
  const isAdmin = useScope("ADMIN");
  const edited = pictureOf(draft ?? draftOf(group));
  const tabs = [
    {
      id: "edit",
      name: "Properties and mapping",
      isKept: true,
      content: () => (
        <GroupForm
          group={group}
          isDeleted={isDeleted}
          onUpdate={update}
          onConflict={reload}
          onDraft={setDraft}
        />
      ),
    },
    canWrite &&
      viewer.userGroupHistoryDays > 0 && {
        id: "history",
        name: "History",
        content: () => <GroupHistory group={group} onUpdate={update} />,
      },
    {
      id: "code",
      name: "Sessions and code",
      content: () => (
        <>
          <div className="columns">
            <div className="main-column">
              <section className="card" aria-labelledby="embed-code">
                <h2 id="embed-code">Embed code</h2>
                <p className="fine">Shows this group&apos;s dashboard in your product.</p>
                <EmbedCode providedId={group.providedId} />
              </section>
              <GroupCode group={group} />
            </div>
            {!isDeleted && <GroupToken group={group} />}
          </div>
          {canEmbed && <ToolFrames group={group} />}
        </>
      ),
    },
    isAdmin && {
      id: "activity",
      name: "Activity",
      // Mounted again after a change, to load its entry.
      content: () => <GroupActivity key={`${group.version} ${sessions.length}`} group={group} />,
    },
  ].filter((tab) => tab !== false);
  return (
    <Page title={group.name} back={BACK}>
      <Recent label={group.name} detail={group.providedId} />
      {isDeleted && (
        <p className="callout bad" role="alert">
          This group was deleted elsewhere and cannot be saved. What you have typed stays here until you leave
          the page.
        </p>
      )}
      <PropertyErrors errors={group.propertyErrors} />
      <dl className="facts">
        <Fact label="External ID">
          <span className="code">{group.providedId}</span>{" "}
          <CopyButton label="External ID" text={group.providedId} />
        </Fact>
        <Fact label="State">
          <span className={isDeleted ? "badge bad" : isMapped ? "badge good" : "badge warning"}>
            {isDeleted ? "Deleted" : isMapped ? "Mapped" : "Not mapped"}
          </span>
        </Fact>
        <Fact label="Last changed">
          <Time at={group.updatedAt} isRelative />
        </Fact>
        <Fact label="Created">
          <Time at={group.createdAt} />
        </Fact>
        <Fact label="Team ID">{group.teamId}</Fact>
        <Fact label="Version">{group.version}</Fact>
      </dl>
      <div className="actions group-actions">
        {canEmbed && <EmbedSession group={group} onCreated={addSession} />}
        {canEmbed && canWrite && <RotateToken group={group} onUpdate={update} />}
        {canWrite && <DeleteGroup group={group} />}
      </div>
      <Preview
        group={canEmbed ? group : null}
        session={sessions.at(-1) ?? ""}
        onSession={addSession}
        edited={edited}
        defaults={group.variableDefaults}
        isEdited={draft !== null && Object.keys(changesBetween(draftOf(group), draft)).length > 0}
        missing={
          edited?.mapping.length === 0 &&
          "No data source is mapped: the dashboard of this customer has no data."
        }
      />
      <PageTabs label="Parts of the group" tabs={tabs} />
    </Page>
  );
}
