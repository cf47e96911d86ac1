import { useState } from "react";
import { useSessionCheck } from "../parts/embed/session-check.js";
import { SessionFacts } from "../parts/embed/session-facts.js";
import { Field } from "../parts/field.js";
import { LoadProblem } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { useDebounced } from "../parts/use-debounced.js";
import { hashOf } from "../routing/route.js";

/** Decodes a pasted embed session and explains why it is accepted or refused. */
export function CheckSessionPage() {
  const [text, setText] = useState("");
  const token = text.trim().replace(/^Bearer /, "");
  const { data, failure, isLoading, reload } = useSessionCheck(useDebounced(token));
  return (
    <Page
      title="Check an embed session"
      description="Find out why a customer's page is refused."
      back={{ href: hashOf(["groups"]), label: "Groups" }}
    >
      <div className="card">
        <Field
          label="Embed session"
          hint="The JWT that the page sends after “Authorization: Bearer”. It is sent to this service only."
        >
          {(control) => (
            <textarea
              {...control}
              className="code"
              rows={5}
              autoComplete="off"
              spellCheck={false}
              placeholder="eyJ…"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <LoadProblem failure={failure} onRetry={reload} />
        {data && (
          <div aria-busy={isLoading}>
            <SessionFacts check={data} onExpired={reload} />
            {data.userGroup && (
              <p>
                A page with this session reads <strong>{data.userGroup.name}</strong> (
                <code>{data.userGroup.providedId}</code>).
              </p>
            )}
          </div>
        )}
      </div>
    </Page>
  );
}
