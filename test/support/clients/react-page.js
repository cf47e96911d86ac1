// The script of a page that shows a user group with the hooks; bundled for the browser.
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { useEmbedSession, useUserGroup } from "../../../clients/typescript/src/react.js";

const url = new URLSearchParams(location.search).get("service") ?? "";

async function loadSession() {
  const reply = await fetch("/embed-session");
  if (!reply.ok) throw new Error("There is no session.");
  return reply.json();
}

function Dashboard() {
  const session = useEmbedSession(loadSession);
  const { userGroup, error, isLoading, reload } = useUserGroup({
    url,
    token: session.token,
    renewToken: session.renew,
  });
  const status = isLoading ? "loading" : error instanceof Error ? error.message : "shown";
  const region = String(userGroup?.variables["region"]);
  return createElement(
    "main",
    null,
    createElement("p", { id: "group" }, userGroup ? `${userGroup.name} in ${region}` : ""),
    createElement("p", { id: "status" }, status),
    createElement("button", { type: "button", onClick: reload }, "Refresh"),
  );
}

const root = document.getElementById("root");
if (root) createRoot(root).render(createElement(Dashboard));
