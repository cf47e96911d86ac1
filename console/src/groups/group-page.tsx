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
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { SessionContext, useScope, useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { DeleteGroup } from "./delete-group.js";
import { EmbedSession } from "./embed-session.js";
import { GroupActivity } from "./group-activity.js";
import { GroupCode } from "./group-code.js";
import { type GroupDraft, pictureOf } from "./group-draft.js";
import { GroupForm, type GroupProps } from "./group-form.js";
import { GroupHistory } from "./group-history.js";
import { GroupToken } from "./group-token.js";
import { type GroupChange, useGroupChanges } from "./use-group-changes.js";

const BACK = { href: hashOf(["groups"]), label: "Groups" };

export function GroupPage({ providedId }: { readonly providedId: string }) {
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
        {isAdmin && <a href={hashOf(["audit"], { subject: providedId })}>View its audit log</a>}
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
  /** The version that this tab has saved last, which may not be rendered yet. */
  const savedVersion = useRef(0);
  function update(next: GroupProps["group"]) {
    savedVersion.current = next.version;
    setChanged(next);
  }
  const notify = useNotice();
  const onChange = ({ kind, userGroup }: GroupChange) => {
    if (!userGroup) return reload();
    const { version } = userGroup;
    const known = Math.max(group.version, savedVersion.current);
    // The names of data sources change without a new version.
    if (version > known || (version === known && kind === "UPDATED")) setChanged(userGroup);
    if (version > known) notify("This group was changed elsewhere just now.");
  };
  useGroupChanges(group.id, onChange, reload);
  const [sessions, setSessions] = useState<readonly string[]>([]);
  const addSession = (session: string) => setSessions([...sessions, session]);
  const [draft, setDraft] = useState<GroupDraft | null>(null);
  const canWrite = useScope("WRITE");
  const canEmbed = useScope("EMBED");
  const isAdmin = useScope("ADMIN");
  return (
    <Page title={group.name} back={BACK}>
      <Recent label={group.name} detail={group.providedId} />
      {isDeleted && (
        <p className="callout bad" role="alert">
          This group was deleted elsewhere and cannot be saved. What you have typed stays here until you leave
          the page.
        </p>
      )}
      <dl className="facts card">
        <Fact label="External ID">
          <span className="code">{group.providedId}</span>{" "}
          <CopyButton label="External ID" text={group.providedId} />
        </Fact>
        <Fact label="Team ID">{group.teamId}</Fact>
        <Fact label="Created">
          <Time at={group.createdAt} />
        </Fact>
        <Fact label="Last changed">
          <Time at={group.updatedAt} />
        </Fact>
        <Fact label="Version">{group.version}</Fact>
      </dl>
      <div className="columns">
        {canEmbed && (
          <Preview
            group={group}
            session={sessions.at(-1) ?? ""}
            onSession={addSession}
            edited={draft && pictureOf(draft)}
          >
            <EmbedSession group={group} onCreated={addSession} />
          </Preview>
        )}
        <div className="main-column">
          <GroupForm group={group} onUpdate={update} onConflict={reload} onDraft={setDraft} />
          <GroupCode group={group} />
          <section className="card" aria-labelledby="embed-code">
            <h2 id="embed-code">Embed code</h2>
            <p className="fine">Shows this group&apos;s dashboard in your product.</p>
            <EmbedCode providedId={group.providedId} />
          </section>
        </div>
        <div>
          <GroupToken group={group} onUpdate={update} />
          {/* Mounted again after a change, to load its entry. */}
          {isAdmin && <GroupActivity key={`${group.version} ${sessions.length}`} group={group} />}
        </div>
      </div>
      {canWrite && <GroupHistory group={group} onUpdate={update} />}
      <div className="actions end">{canWrite && <DeleteGroup group={group} />}</div>
    </Page>
  );
}
