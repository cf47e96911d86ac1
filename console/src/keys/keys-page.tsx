import { useState } from "react";
import {
  ApiKeyListDocument,
  type ApiKeyPartsFragment,
  RevokeKeyDocument,
} from "../api/generated/operations.js";
import { MutationDialog } from "../parts/confirm-dialog.js";
import { DayChart } from "../parts/day-chart.js";
import { DocsLink } from "../parts/docs-link.js";
import { SOON_MS } from "../parts/expiry.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { RowMenu } from "../parts/row-menu.js";
import { useSort } from "../parts/sort.js";
import { Time } from "../parts/time.js";
import { useNewDialog, useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { NewKey } from "./new-key.js";

const SORT_FIELDS = { name: "NAME", created: "CREATED_AT", used: "LAST_USED_AT" } as const;
const BY_CREATION = { key: "created", isDescending: true };

export function KeysPage() {
  const { viewer } = useSession();
  const { path, query: parameters } = useRoute();
  const isAll = parameters["state"] === "all";
  const sort = useSort(Object.keys(SORT_FIELDS), BY_CREATION);
  const query = useQuery(ApiKeyListDocument, {
    ...usePageVariables(),
    ...(isAll ? {} : { filter: { isActive: true } }),
    orderBy: { field: sortField(sort.key), direction: sort.isDescending ? "DESC" : "ASC" },
  });
  const { isNewOpen, openNew, closeNew } = useNewDialog();
  const environment = viewer.environment === "CUSTOMER" ? "Customer" : "Testing";
  return (
    <Page
      title="API keys"
      description={
        <>
          Keys of the {environment} environment. Switch environments to see the other keys.{" "}
          <DocsLink page="leaked-secret#api-key">What to do if a key has leaked</DocsLink>
        </>
      }
      actions={
        <button type="button" className="primary" onClick={openNew}>
          New API key
        </button>
      }
    >
      <nav className="filters" aria-label="Status">
        <a href={hashOf(path)} aria-current={isAll ? undefined : "true"}>
          Active
        </a>
        <a href={hashOf(path, { state: "all" })} aria-current={isAll ? "true" : undefined}>
          All
        </a>
      </nav>
      <Loaded query={query}>
        {({ apiKeys }) => (
          <List
            caption="API keys"
            page={apiKeys}
            sort={sort}
            columns={[
              { title: "Name", isRowHead: true, sortKey: "name", cell: (key) => <Name apiKey={key} /> },
              {
                title: "Scope",
                isWideOnly: true,
                cell: ({ scope }) => <span className="badge">{scope.toLowerCase()}</span>,
              },
              {
                title: "Created",
                isWideOnly: true,
                sortKey: "created",
                cell: ({ createdAt }) => <Time at={createdAt} isRelative />,
              },
              {
                title: "Last used",
                isWideOnly: true,
                sortKey: "used",
                cell: ({ lastUsedAt }) =>
                  lastUsedAt === null ? "Never" : <Time at={lastUsedAt} isRelative />,
              },
              {
                title: "Writes in 30 days",
                isWideOnly: true,
                cell: ({ auditDays }) => <DayChart days={auditDays} noun="write" variant="line" />,
              },
              { title: "Status", cell: (key) => <State apiKey={key} /> },
              {
                title: "Actions",
                isTitleHidden: true,
                cell: (key) => !isInvalid(key) && <RevokeKey apiKey={key} onRevoked={query.reload} />,
              },
            ]}
          />
        )}
      </Loaded>
      {isNewOpen && <NewKey onCreated={query.reload} onClose={closeNew} />}
    </Page>
  );
}

function Name({ apiKey: { name, hint, scope, lastUsedAt } }: { readonly apiKey: ApiKeyPartsFragment }) {
  const { keyHint } = useSession();
  return (
    <>
      {name} {hint === keyHint && <span className="badge customer">this session</span>}
      <span className="code fine below word">{hint}</span>
      <span className="fine narrow-only">
        {scope.toLowerCase()},{" "}
        {lastUsedAt === null ? (
          "never used"
        ) : (
          <>
            used <Time at={lastUsedAt} isRelative />
          </>
        )}
      </span>
    </>
  );
}

function State({ apiKey: { revokedAt, expiresAt } }: { readonly apiKey: ApiKeyPartsFragment }) {
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - Date.now();
  const [badge, text] =
    revokedAt !== null
      ? ["badge", "Revoked"]
      : left <= 0
        ? ["badge", "Expired"]
        : left < SOON_MS
          ? ["badge warning", "Expiring"]
          : ["badge good", "Active"];
  const at = revokedAt ?? expiresAt;
  return (
    <>
      <span className={badge}>{text}</span>
      <span className="fine below">
        {at === null ? "never expires" : text === "Active" && "expires "}
        {at !== null && <Time at={at} isRelative />}
      </span>
    </>
  );
}

function sortField(key: string) {
  return key === "name" ? SORT_FIELDS.name : key === "used" ? SORT_FIELDS.used : SORT_FIELDS.created;
}

interface RevokeKeyProps {
  readonly apiKey: ApiKeyPartsFragment;
  readonly onRevoked: () => void;
}

function RevokeKey({ apiKey: { id, name, hint }, onRevoked }: RevokeKeyProps) {
  const { keyHint } = useSession();
  const [isOpen, setOpen] = useState(false);
  const menu = (
    <RowMenu
      name={`${name} ${hint}`}
      actions={[{ label: "Revoke…", isRed: true, run: () => setOpen(true) }]}
    />
  );
  if (!isOpen) return menu;
  return (
    <>
      {menu}
      <MutationDialog
        title={`Revoke ${name}?`}
        action="Revoke key"
        document={RevokeKeyDocument}
        variables={{ id }}
        notice={`${name} was revoked.`}
        onDone={() => {
          setOpen(false);
          onRevoked();
        }}
        onClose={() => setOpen(false)}
      >
        <p>
          Clients that use <code>{hint}</code> stop working, and the embed sessions that it created end. This
          cannot be undone.
        </p>
        {hint === keyHint && (
          <p>
            <strong>You are signed in with this key.</strong>
          </p>
        )}
      </MutationDialog>
    </>
  );
}

function isInvalid({ revokedAt, expiresAt }: ApiKeyPartsFragment): boolean {
  return revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now());
}
