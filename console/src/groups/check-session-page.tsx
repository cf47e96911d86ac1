import { useState } from "react";
import { useSessionCheck } from "../parts/embed/session-check.js";
import { SessionFacts } from "../parts/embed/session-facts.js";
import { Field, TextField } from "../parts/field.js";
import { LoadProblem } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { useDebounced } from "../parts/use-debounced.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { GroupFindings } from "./group-findings.js";
import { OriginCheck } from "./origin-check.js";

/** Finds out why a customer's page is empty or refused: the group, the embed session or the page's origin. */
export function CheckSessionPage() {
  const { group = "" } = useRoute().query;
  const [customer, setCustomer] = useState(group);
  const providedId = useDebounced(customer.trim());
  const [text, setText] = useState("");
  const token = text.trim().replace(/^Bearer /, "");
  const { data, failure, isLoading, reload } = useSessionCheck(useDebounced(token));
  return (
    <Page
      title="Why does the embed show nothing?"
      description="Find out why a customer's page is empty or refused."
      back={{ href: hashOf(["groups"]), label: "Groups" }}
    >
      <section className="card" aria-labelledby="customer">
        <h2 id="customer">1. The customer</h2>
        <TextField
          label="External ID"
          hint="The ID of the customer in your system."
          required={false}
          spellCheck={false}
          value={customer}
          onChange={setCustomer}
        />
        {providedId !== "" && <GroupFindings providedId={providedId} />}
      </section>
      <section className="card" aria-labelledby="session">
        <h2 id="session">2. The embed session</h2>
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
      </section>
      <section className="card" aria-labelledby="origin">
        <h2 id="origin">3. The page</h2>
        <OriginCheck />
      </section>
    </Page>
  );
}
