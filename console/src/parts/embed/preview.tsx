import { CreateEmbedSessionDocument } from "../../api/generated/operations.js";
import { pageData } from "../../api/page-data.js";
import { useMutation } from "../../session/use-mutation.js";
import { LoadProblem } from "../loaded.js";
import { Problem } from "../problem.js";
import type { Picture } from "./picture.js";
import { PreviewFrame } from "./preview-frame.js";
import type { SessionCheck } from "./session-check.js";
import { SessionFacts } from "./session-facts.js";
import { useSessionCheck } from "./use-session-check.js";

interface PreviewProps {
  readonly group: { readonly id: string; readonly version: number };
  /** An embed session of the group; empty before the first. */
  readonly session: string;
  readonly onSession: (session: string) => void;
  /** The group with changes that may not have been saved; its variables are its properties. */
  readonly edited: Picture | null;
}

/** The dashboard that a group's viewers see, read with an embed session. */
export function Preview({ group: { id, version }, session, onSession, edited }: PreviewProps) {
  const create = useMutation(CreateEmbedSessionDocument);
  const query = useSessionCheck(session, version);
  const { data: check, failure, reload } = query;
  const saved = check?.userGroup && pictureOf(check.userGroup, check.variables);
  const changed = saved && edited && withVariables(edited, check.variables);
  const isUnsaved = changed && JSON.stringify(changed) !== JSON.stringify(saved);
  const shown = isUnsaved ? changed : saved;

  async function open() {
    const payload = await create.run({ input: { by: { id } } });
    if (payload?.token) onSession(payload.token);
  }
  return (
    <section className="card embed-preview" aria-labelledby="preview">
      <h2 id="preview">Preview {isUnsaved && <span className="badge warning">With unsaved changes</span>}</h2>
      <p className="fine">The dashboard of the quick start, as this customer sees it.</p>
      {shown && <PreviewFrame picture={shown} />}
      {check && <SessionFacts check={check} onExpired={reload} />}
      <LoadProblem failure={failure} onRetry={reload} />
      <Problem failure={create.failure} errors={create.errors} />
      <div className="actions">
        <button type="button" onClick={() => void open()} aria-disabled={create.isBusy}>
          {session === "" ? "Show preview" : "New session"}
        </button>
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
