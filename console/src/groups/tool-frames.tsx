import { useState } from "react";
import {
  CreateTemplateSessionDocument,
  type GroupPartsFragment,
  TemplateListDocument,
} from "../api/generated/operations.js";
import { pageData } from "../api/page-data.js";
import type { UserErrors } from "../api/user-errors.js";
import { LoadProblem } from "../parts/loaded.js";
import { originOf } from "../parts/origin-of.js";
import { Problem } from "../parts/problem.js";
import { useSession } from "../session/session.js";
import { useAction } from "../session/use-action.js";
import { useQuery } from "../session/use-query.js";

/** Maximum templates of an environment. */
const MAX_TEMPLATES = 50;
/** Enough for the tool to read it. */
const SESSION_SECONDS = 60;

/** A tool's page with a token; it is kept in memory only. */
interface OpenedTool {
  readonly name: string;
  readonly url: string;
}

/** Opens dashboard tools as the group's customers see them. Renders nothing if no template has a URL. */
export function ToolFrames({ group }: { readonly group: GroupPartsFragment }) {
  const { client } = useSession();
  const query = useQuery(TemplateListDocument, { first: MAX_TEMPLATES });
  const [opened, setOpened] = useState<OpenedTool | null>(null);
  const [errors, setErrors] = useState<UserErrors>([]);
  const templates = query.data?.sessionTemplates.nodes.filter(({ url }) => url !== null) ?? [];

  const open = useAction(async (name: string) => {
    setOpened(null);
    setErrors([]);
    const input = { by: { id: group.id }, template: name, expiresInSeconds: SESSION_SECONDS };
    // Without an idempotency key: replies with these tokens are not stored.
    const { createTemplateSession: payload } = await client.call(CreateTemplateSessionDocument, { input });
    setErrors(payload.userErrors);
    // The template may have got another URL since it was loaded.
    if (payload.url !== null && canShow(payload.url)) setOpened({ name, url: payload.url });
    else if (payload.userErrors.length === 0) query.reload();
  });
  if (templates.length === 0) return <LoadProblem failure={query.failure} onRetry={query.reload} />;
  return (
    <section className="card" aria-labelledby="tools">
      <h2 id="tools">Dashboard tools</h2>
      <p className="fine">Opens a tool as this customer, with a session of {SESSION_SECONDS} seconds.</p>
      <ul className="rows tool-list">
        {templates.map(({ id, name, url }) => (
          <li key={id}>
            {canShow(url) ? (
              <button type="button" aria-disabled={open.isBusy} onClick={() => void open.run(name)}>
                Open {name}
              </button>
            ) : (
              <p className="fine">
                To open {name} here, an operator can add <code>{originOf(url)}</code> to{" "}
                <code>FRAME_ORIGINS</code>.
              </p>
            )}
          </li>
        ))}
      </ul>
      <Problem failure={open.failure} errors={errors} />
      {opened && (
        <>
          <iframe
            key={opened.url}
            className="tool-frame"
            title={`${group.name} in ${opened.name}`}
            src={opened.url}
            // Its own origin, which is not ours, so that the tool has its storage.
            sandbox="allow-scripts allow-same-origin allow-forms"
            referrerPolicy="no-referrer"
          />
          <div className="actions end">
            <button type="button" onClick={() => setOpened(null)}>
              Close {opened.name}
            </button>
          </div>
        </>
      )}
    </section>
  );
}

/** Returns whether a URL is of a foreign origin that the operator has allowed: one of ours could leave the sandbox. */
function canShow(url: string | null): boolean {
  const origin = originOf(url);
  return origin !== null && origin !== location.origin && (pageData.frame_origins ?? []).includes(origin);
}
