import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { announce } from "./peer-process.js";

// The floor of open pages: Node's HTTP server, which keeps the responses of each group and writes an event to all of them.
const pages = new Map<string, Set<ServerResponse>>();

const server = createServer(async (request, response) => {
  const { user_group_id, name, variables } = await readJson(request);
  if (request.url === "/graphql") subscribe(response, String(Object(variables).by.providedId));
  else {
    const data = eventOf(String(name));
    for (const page of pages.get(String(user_group_id)) ?? []) page.write(data);
    response.end("{}");
  }
});
server.listen(0, "127.0.0.1", () => announce(server));

function subscribe(response: ServerResponse, group: string): void {
  const followers = pages.get(group) ?? new Set();
  pages.set(group, followers.add(response));
  response.on("close", () => followers.delete(response));
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.write(eventOf("current"));
}

/** The size of the service's event. */
function eventOf(name: string): Buffer {
  const userGroup = {
    id: "VXNlckdyb3VwOjE",
    name,
    properties: { region: "EU", plan: "gold" },
    mapping: [{ schemaId: "sales", dataSource: { providedId: "eu" } }],
  };
  const data = { userGroupChanged: { kind: "UPDATED", userGroup } };
  return Buffer.from(`event: next\ndata: ${JSON.stringify({ data })}\n\n`);
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return Object(JSON.parse(text));
}
