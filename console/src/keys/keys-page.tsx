import { useState } from "react";
import {
  ApiKeyListDocument,
  type ApiKeyPartsFragment,
  RevokeKeyDocument,
} from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { useNotice } from "../parts/notices.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { useSession } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";
import { useQuery } from "../session/use-query.js";
import { NewKey } from "./new-key.js";

export function KeysPage() {
  const query = useQuery(ApiKeyListDocument, usePageVariables());
  const [isAdding, setAdding] = useState(false);
  const [keyToRevoke, setKeyToRevoke] = useState<ApiKeyPartsFragment | null>(null);
  return (
    <Page
      title="API keys"
      actions={
        <button type="button" className="primary" onClick={() => setAdding(true)}>
          New API key
        </button>
      }
    >
      <Loaded query={query}>
        {({ apiKeys }) => (
          <List
            caption="API keys"
            page={apiKeys}
            columns={[
              { title: "Name", isRowHead: true, cell: (key) => <Name apiKey={key} /> },
              { title: "Scope", isWideOnly: true, cell: ({ scope }) => scope.toLowerCase() },
              { title: "Created", isWideOnly: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                title: "Last used",
                isWideOnly: true,
                cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Time at={lastUsedAt} />),
              },
              { title: "State", cell: (key) => <State apiKey={key} /> },
              {
                title: "Actions",
                isTitleHidden: true,
                cell: (key) =>
                  !isInvalid(key) && (
                    <button
                      type="button"
                      aria-label={`Revoke ${key.name} ${key.hint}`}
                      onClick={() => setKeyToRevoke(key)}
                    >
                      Revoke…
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {isAdding && <NewKey onCreated={query.reload} onClose={() => setAdding(false)} />}
      {keyToRevoke && (
        <RevokeKey apiKey={keyToRevoke} onRevoked={query.reload} onClose={() => setKeyToRevoke(null)} />
      )}
    </Page>
  );
}

function Name({ apiKey: { name, hint, scope } }: { readonly apiKey: ApiKeyPartsFragment }) {
  return (
    <>
      {name}
      <span className="code fine below word">{hint}</span>
      <span className="fine narrow-only">{scope.toLowerCase()}</span>
    </>
  );
}

function State({ apiKey: { revokedAt, expiresAt } }: { readonly apiKey: ApiKeyPartsFragment }) {
  if (revokedAt !== null)
    return (
      <>
        revoked <Time at={revokedAt} />
      </>
    );
  if (expiresAt === null) return <>active</>;
  return (
    <>
      {Date.parse(expiresAt) <= Date.now() ? "expired" : "expires"} <Time at={expiresAt} />
    </>
  );
}

interface RevokeKeyProps {
  readonly apiKey: ApiKeyPartsFragment;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

function RevokeKey({ apiKey: { id, name, hint }, onRevoked, onClose }: RevokeKeyProps) {
  const { keyEnding } = useSession();
  const [errors, setErrors] = useState<UserErrors>([]);
  const revoke = useMutation(RevokeKeyDocument);
  const notify = useNotice();

  async function run() {
    const result = await revoke.run({ id });
    if (!result) return;
    const { apiKey, userErrors } = result.revokeApiKey;
    setErrors(userErrors);
    if (!apiKey) return;
    notify(`${name} was revoked.`);
    onRevoked();
    onClose();
  }
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      action="Revoke"
      isBusy={revoke.isBusy}
      failure={revoke.failure}
      errors={errors}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>
        Clients that use <code>{hint}</code> stop working. This cannot be undone.
      </p>
      {hint.endsWith(keyEnding) && (
        <p>
          <strong>You are signed in with this key.</strong>
        </p>
      )}
    </ConfirmDialog>
  );
}

function isInvalid({ revokedAt, expiresAt }: ApiKeyPartsFragment): boolean {
  return revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now());
}
