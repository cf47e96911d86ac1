import type { ReactNode } from "react";
import { CreateEmbedSessionDocument } from "../../api/generated/operations.js";
import { pageData } from "../../api/page-data.js";
import { hashOf } from "../../routing/route.js";
import { useMutation } from "../../session/use-mutation.js";
import { LoadProblem } from "../loaded.js";
import { Problem } from "../problem.js";
import { Secret } from "../secret.js";
import { type Picture, PreviewFrame } from "./preview-frame.js";
import { type SessionCheck, useSessionCheck } from "./session-check.js";
import { SessionFacts } from "./session-facts.js";

interface PreviewProps {
  /** Null if the group has not been created, or the user may not create embed sessions. */
  readonly group: { readonly id: string; readonly version: number } | null;
  /** An embed session of the group; empty before the first. */
  readonly session: string;
  readonly onSession: (session: string) => void;
  /** The group with changes that may not have been saved; its variables are its properties. */
  readonly edited: Picture | null;
  /** The defaults of the schema for properties, until the group is read with a session. */
  readonly defaults?: unknown;
  /** Whether `edited` has not been saved. */
  readonly isEdited?: boolean;
  /** What the dashboard lacks, in place of a chart. */
  readonly missing?: ReactNode;
}

/** The dashboard that a group's viewers see, read with an embed session. */
export function Preview({ group, session, onSession, edited, isEdited, missing, ...props }: PreviewProps) {
  const create = useMutation(CreateEmbedSessionDocument);
  const query = useSessionCheck(session, group?.version);
  const { data: check, failure, reload } = query;
  const read = check?.userGroup;
  const saved = read && pictureOf(read);
  const isUnsaved = saved && edited ? JSON.stringify(edited) !== JSON.stringify(saved) : isEdited;
  const picture = isUnsaved || !saved ? edited : saved;
  const defaults = Object(read ? read.variableDefaults : props.defaults);
  const own = { ...picture?.variables, ...Object(check?.variables) };
  const defaultNames = Object.keys(defaults).filter((name) => !Object.hasOwn(own, name));

  async function open(id: string) {
    const payload = await create.run({ input: { by: { id } } });
    if (payload?.token) onSession(payload.token);
  }
  return (
    <section className="card embed-preview" aria-labelledby="preview">
      <h2 id="preview">Preview {isUnsaved && <span className="badge warning">With unsaved changes</span>}</h2>
      <div className="preview-picture">
        {missing ? (
          <p className="empty">{missing}</p>
        ) : (
          picture && (
            <>
              <p className="fine">Sample chart, with this customer&apos;s values and data sources.</p>
              <PreviewFrame picture={{ ...picture, variables: { ...defaults, ...own } }} />
              {defaultNames.length > 0 && (
                <p className="fine">
                  Default values of the <a href={hashOf(["property-schema"])}>property schema</a>:{" "}
                  <code>{defaultNames.join(", ")}</code>
                </p>
              )}
            </>
          )
        )}
      </div>
      <div className="preview-session">
        {session !== "" ? (
          <Secret key={session} label="Embed session" value={session} />
        ) : (
          group && (
            <p className="fine">
              To be sure what this customer sees, read the group with an embed session, as a page does.
            </p>
          )
        )}
        {check && <SessionFacts check={check} onExpired={reload} />}
        <LoadProblem failure={failure} onRetry={reload} />
        <Problem failure={create.failure} errors={create.errors} />
        <div className="actions">
          {group && (
            <button type="button" onClick={() => void open(group.id)} aria-disabled={create.isBusy}>
              {session === "" ? "Read as this customer" : "Renew session"}
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
        </div>
      </div>
    </section>
  );
}

function pictureOf({ name, properties, mapping }: NonNullable<SessionCheck["userGroup"]>): Picture {
  const sources = mapping.map(({ schemaId, dataSource }) => ({
    schemaId,
    dataSource: dataSource.providedId,
  }));
  return { name, variables: Object(properties), mapping: sources };
}
