import { serviceUrl, shellQuote } from "../snippet-text.js";

/** Returns the URL of the service without a slash at its end. */
function baseUrl(): string {
  return serviceUrl("").replace(/\/$/, "");
}

const VIEWER = (indent: string) =>
  `const viewer = createViewer({
  // Its setting CORS_ORIGINS lists the origin of this page.
  url: ${JSON.stringify(baseUrl())},
  // Your server's answer, for the customer who is signed in to your product.
  getSession: ({ signal }) => fetch("/embed-session", { signal }),
});`.replaceAll("\n", `\n${indent}`);

/** Returns a page that shows its group and follows its changes, without a bundler. */
export function htmlOf(): string {
  return `<!doctype html>
<h1 id="name"></h1>
<pre id="variables"></pre>
<script type="module">
  // The file dist/browser.js of the package @user-groups/client.
  import { createViewer } from "/user-groups-client.js";

  ${VIEWER("  ")}
  viewer.watch(({ userGroup }) => {
    if (!userGroup) return;
    const { name, variables } = userGroup;
    document.querySelector("#name").textContent = name;
    document.querySelector("#name").style.color = variables.color;
    document.querySelector("#variables").textContent = JSON.stringify(variables, null, 2);
  });
</script>`;
}

/** Returns the same as a component. */
export function reactOf(): string {
  return `import { createViewer } from "@user-groups/client/browser";
import { useUserGroup, ViewerProvider } from "@user-groups/client/react";

${VIEWER("")}

export function Dashboard() {
  return (
    <ViewerProvider viewer={viewer}>
      <Group />
    </ViewerProvider>
  );
}

function Group() {
  const { userGroup } = useUserGroup();
  if (!userGroup) return <p>Loading…</p>;
  const { name, variables } = userGroup;
  return (
    <>
      <h1 style={{ color: variables.color }}>{name}</h1>
      <pre>{JSON.stringify(variables, null, 2)}</pre>
    </>
  );
}`;
}

/** Returns a server that creates embed sessions of a group. */
export function serverOf(providedId: string): string {
  return `import { UserGroupsClient } from "@user-groups/client";
import express from "express";

const client = new UserGroupsClient({
  baseUrl: ${JSON.stringify(baseUrl())},
  apiKey: process.env["USER_GROUPS_API_KEY"] ?? "",
});
const app = express();

// Take the customer's ID from your own sign-in, never from the page.
app.get("/embed-session", async (_request, response) => {
  const session = await client.userGroups.createEmbedSession({ providedId: ${JSON.stringify(providedId)} });
  response.set("cache-control", "no-store").json(session);
});
app.use(express.static("public")).listen(3000);`;
}

/** Returns the same call with curl. It reads the API key from the variable `USER_GROUPS_API_KEY`. */
export function curlOf(providedId: string): string {
  return `curl -X POST ${serviceUrl("/api/embed-session")} \\
  -H "Authorization: Token $USER_GROUPS_API_KEY" -H "Content-Type: application/json" \\
  -d ${shellQuote(JSON.stringify({ user_group_id: providedId }))}`;
}
