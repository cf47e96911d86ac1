import { createViewer } from "@user-groups/client/browser";
import { useUserGroup, ViewerProvider } from "@user-groups/client/react";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { Chart } from "./chart.jsx";
import "./style.css";

// One viewer per page: its parts share one session and one connection.
const viewer = createViewer({
  url: import.meta.env.SERVICE_URL,
  getSession: ({ signal }) => fetch("/embed-session", { signal }),
});

function App() {
  const { userGroup, error, isStale, signedOut, reload } = useUserGroup();
  if (signedOut) return <SignIn />;
  if (userGroup) return <Dashboard userGroup={userGroup} isStale={isStale} />;
  if (!error) return <p role="status">Loading…</p>;
  return (
    <>
      <h1>The dashboard is not available</h1>
      <p role="status">{String(error)}</p>
      <button type="button" onClick={reload}>
        Try again
      </button>
    </>
  );
}

function SignIn() {
  return (
    <form method="post" action="/sign-in">
      <h1>Sign in</h1>
      <p>Choose a customer. Each sees only their own user group.</p>
      <button type="submit" name="customer" value="acme">
        Acme Inc.
      </button>
      <button type="submit" name="customer" value="globex">
        Globex Corp.
      </button>
    </form>
  );
}

/** @param {{ userGroup: import("@user-groups/client/browser").ViewerGroup, isStale: boolean }} props */
function Dashboard({ userGroup, isStale }) {
  const sales = useSales(userGroup);
  const { name, variables } = userGroup;
  return (
    <>
      <header>
        <h1>{name}</h1>
        <b role="status">{isStale ? "Reconnecting…" : "Live"}</b>
        <form method="post" action="/sign-out">
          <button type="submit">Sign out</button>
        </form>
      </header>
      {sales === null && <p>The data could not be loaded.</p>}
      {sales && <Chart sales={sales} variables={variables} />}
      <dl>
        {Object.entries(variables).map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
      <footer>Change this user group's properties, and the chart follows.</footer>
    </>
  );
}

/** Returns the data for a group, null after a failure. @param {object} userGroup */
function useSales(userGroup) {
  const [sales, setSales] = useState(/** @type {Record<string, number> | null | undefined} */ (undefined));
  useEffect(() => {
    let isLatest = true;
    loadSales()
      .catch(() => null)
      .then((loaded) => isLatest && setSales(loaded));
    return () => {
      isLatest = false;
    };
  }, [userGroup]);
  return sales;
}

async function loadSales() {
  const reply = await viewer.fetch("/sales");
  if (!reply.ok) throw new Error(`The data could not be loaded (${reply.status}).`);
  return reply.json();
}

createRoot(document.body.appendChild(document.createElement("main"))).render(
  <ViewerProvider viewer={viewer}>
    <App />
  </ViewerProvider>,
);
