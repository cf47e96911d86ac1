import type { ReactNode } from "react";
import { CreateEmbedSessionDocument } from "../../api/generated/operations.js";
import { pageData } from "../../api/page-data.js";
import { useMutation } from "../../session/use-mutation.js";
import { LoadProblem } from "../loaded.js";
import { Problem } from "../problem.js";
import { Secret } from "../secret.js";
import { type Picture, PreviewFrame } from "./preview-frame.js";
import { type SessionCheck, useSessionCheck } from "./session-check.js";
import { SessionFacts } from "./session-facts.js";

interface PreviewProps {
  /** Null if the group has not been created. */
  readonly group: { readonly id: string; readonly version: number } | null;
  /** An embed session of the group; empty before the first. */
  readonly session: string;
  readonly onSession: (session: string) => void;
  /** The group with changes that may not have been saved; its variables are its properties. */
  readonly edited: Picture | null;
  readonly children?: ReactNode;
}

/** The dashboard that a group's viewers see, read with an embed session. */
export function Preview({ group, session, onSession, edited, children }: PreviewProps) {
  const create = useMutation(CreateEmbedSessionDocument);
  const query = useSessionCheck(session, group?.version);
  const { data: check, failure, reload } = query;
  const saved = check?.userGroup && pictureOf(check.userGroup, check.variables);
  const changed = saved && edited && withVariables(edited, check.variables);
  const isUnsaved = changed && JSON.stringify(changed) !== JSON.stringify(saved);
  const isPending = group === null || (session !== "" && check === null);
  const shown = isUnsaved ? changed : isPending ? edited : saved;

  async function open(id: string) {
    const payload = await create.run({ input: { by: { id } } });
    if (payload?.token) onSession(payload.token);
  }
  return (
    <section className="card embed-preview" aria-labelledby="preview">
      <h2 id="preview">Preview {isUnsaved && <span className="badge warning">With unsaved changes</span>}</h2>
      <p className="fine">The dashboard of the quick start, as this customer sees it.</p>
      {shown && <PreviewFrame picture={shown} />}
      {session !== "" && <Secret key={session} label="Embed session" value={session} />}
      {check && <SessionFacts check={check} onExpired={reload} />}
      <LoadProblem failure={failure} onRetry={reload} />
      <Problem failure={create.failure} errors={create.errors} />
      <div className="actions">
        {group && (
          <button type="button" onClick={() => void open(group.id)} aria-disabled={create.isBusy}>
            {session === "" ? "Show preview" : "Renew session"}
          </button>
        )}
        {check?.isAccepted && pageData.preview_url !== undefined && (
          <a
            className="button"
            href={`${pageData.preview_url}#embed_session=${session}`}
            target="_blank"
            rel="noreferrer"
          >
            Open as this customer
          </a>
        )}
        {children}
      </div>
    </section>
  );
}

function pictureOf(
  { name, properties, mapping }: NonNullable<SessionCheck["userGroup"]>,
  sessionVariables: unknown,
): Picture {
  const sources = mapping.map(({ schemaId, dataSource }) => ({
    schemaId,
    dataSource: dataSource.providedId,
  }));
  return withVariables({ name, variables: Object(properties), mapping: sources }, sessionVariables);
}

function withVariables(picture: Picture, sessionVariables: unknown): Picture {
  return { ...picture, variables: { ...picture.variables, ...Object(sessionVariables) } };
}
