import { useState } from "react";
import {
  CreateEmbedSessionDocument,
  CreateGroupDocument,
  type CreateGroupMutation,
  CreateKeyDocument,
} from "../api/generated/operations.js";
import { CodeBlock } from "../parts/code-block.js";
import { EmbedCode } from "../parts/embed/embed-code.js";
import { Preview } from "../parts/embed/preview.js";
import { TextField } from "../parts/field.js";
import { Form } from "../parts/form.js";
import { focusHeading } from "../parts/page.js";
import { Problem } from "../parts/problem.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";

const SAMPLE = { providedId: "acme", name: "Acme Inc." };
const KEY_LIFETIME_MS = 90 * 86_400_000;

interface FirstChartProps {
  /** Called once the account is no longer empty. */
  readonly onStart: () => void;
}

/** The first steps of an empty account: a sample customer, their chart, and the code that embeds it. */
export function FirstChart({ onStart }: FirstChartProps) {
  const [color, setColor] = useState("#0b6e4f");
  const [group, setGroup] = useState<CreateGroupMutation["createUserGroup"]["userGroup"]>(null);
  const [session, setSession] = useState("");
  const create = useMutation(CreateGroupDocument);
  const createSession = useMutation(CreateEmbedSessionDocument);
  const properties = { color, currency: "EUR", region: "EU" };

  async function createSample() {
    const payload = await create.run({ input: { ...SAMPLE, properties } });
    if (!payload?.userGroup) return;
    onStart();
    focusHeading();
    setGroup(payload.userGroup);
    const created = await createSession.run({ input: { by: { id: payload.userGroup.id } } });
    if (created?.token) setSession(created.token);
  }
  return (
    <div className="columns first-chart">
      <section className="card" aria-labelledby="sample">
        <h2 id="sample">1. Create a sample customer</h2>
        {group ? (
          <p>
            <a href={hashOf(["groups", SAMPLE.providedId])}>{SAMPLE.name}</a> was created. Edit its properties
            there and watch the chart follow, or delete it.
          </p>
        ) : (
          <Form errors={create.errors} onSubmit={() => void createSample()}>
            <TextField
              label="Color"
              hint="One of the properties of a customer, which a dashboard uses."
              type="color"
              value={color}
              onChange={setColor}
            />
            <Problem failure={create.failure} errors={create.errors} />
            <div className="actions">
              <button type="submit" className="primary" aria-disabled={create.isBusy}>
                Create sample customer
              </button>
              <a className="button" href={hashOf(["new-group"])}>
                Create your own
              </a>
            </div>
          </Form>
        )}
        <Problem failure={createSession.failure} errors={createSession.errors} />
      </section>
      <Preview
        group={group}
        session={session}
        onSession={setSession}
        edited={{ name: SAMPLE.name, variables: properties, mapping: [] }}
      />
      <CodeStep />
    </div>
  );
}

function CodeStep() {
  const isAdmin = useScope("ADMIN");
  const [expiresAt] = useState(() => new Date(Date.now() + KEY_LIFETIME_MS).toISOString());
  const [secret, setSecret] = useState<string | null>(null);
  const create = useMutation(CreateKeyDocument);

  async function createKey() {
    const payload = await create.run({ input: { name: "First chart", scope: "EMBED", expiresAt } });
    setSecret(payload?.secret ?? null);
  }
  return (
    <section className="card" aria-labelledby="copy-code">
      <h2 id="copy-code">2. Show it in your product</h2>
      <p className="fine">
        {secret === null
          ? "Your server needs an API key, which creates embed sessions."
          : "Copy the API key now: it is shown only once. It expires in 90 days."}
      </p>
      <CodeBlock label="API key" code={`export USER_GROUPS_API_KEY=${secret ?? "ugk_…"}`} />
      <Problem failure={create.failure} errors={create.errors} />
      {isAdmin && secret === null && (
        <div className="actions">
          <button type="button" aria-disabled={create.isBusy} onClick={() => void createKey()}>
            Create an API key
          </button>
        </div>
      )}
      <EmbedCode providedId={SAMPLE.providedId} />
    </section>
  );
}
