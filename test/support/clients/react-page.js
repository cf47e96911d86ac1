// The script of a page that shows a user group with the hook; bundled for the browser.
import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createViewer } from "../../../clients/typescript/src/browser.js";
import { useUserGroup, ViewerProvider } from "../../../clients/typescript/src/react.js";

const parameters = new URLSearchParams(location.search);
const session = parameters.get("session") ?? "";
const viewer = createViewer({
  url: parameters.get("service") ?? "",
  getSession: ({ signal }) => fetch(session, { signal }),
});

function Dashboard() {
  const { userGroup, error, isLoading, isStale, signedOut, reload } = useUserGroup();
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const status = { loading: isLoading, stale: isStale, "signed out": signedOut, [code]: error !== undefined };
  const region = String(userGroup?.variables["region"]);
  return createElement(
    "main",
    null,
    createElement("p", { id: "group" }, userGroup ? `${userGroup.name} in ${region}` : ""),
    createElement(
      "p",
      { id: "status" },
      Object.keys(status)
        .filter((key) => status[key])
        .join(" ") || "live",
    ),
    createElement("button", { type: "button", onClick: reload }, "Refresh"),
  );
}

const root = document.getElementById("root");
const page = createElement(ViewerProvider, { viewer }, createElement(Dashboard));
if (root) createRoot(root).render(createElement(StrictMode, null, page));
