import { pageData } from "../src/api/page-data.js";
import { ENVIRONMENT_KEY, fetchSession, renewSession } from "../src/api/session-api.js";

interface Lookup {
  readonly data?: {
    readonly viewer: { readonly accountName: string | null; readonly environment: string | null } | null;
  };
  readonly errors?: readonly { readonly message: string }[];
}

const CREDENTIALS = ["authorization", "x-console"];
/** A line that begins a mutation, in a document that GraphiQL has printed. */
const MUTATION = /^mutation\b/m;
const { fetch: sendOnce } = globalThis;
const account = document.querySelector("#account");
const environmentLabel = document.querySelector<HTMLElement>("#environment");
const responseHeaders = document.querySelector<HTMLElement>("#response-headers");
const environmentSelect = environmentLabel?.querySelector("select");
/** Accounts and environments whose mutations the user has allowed. */
const allowed = new Set<string>();
/** The environment of the console's session that requests without an API key use, if there is one. */
let environment: string | undefined;
/** The credentials of the account that is shown. */
let shown: string | undefined;

/**
 * Sends operations with the console's session unless their headers have an API key, and shows whose data they read or change. The account
 * is looked up again before each mutation, as other pages may sign in to another one, and the first one in an account is confirmed.
 * @returns whether this browser is signed in to the console
 */
export async function sendWithSession(): Promise<boolean> {
  // During an outage, operations fail as well, and say why.
  const isConsoleServed = !pageData.disabled.includes("console");
  const none = { environments: [] };
  const session = isConsoleServed ? await fetchSession("console/session").catch(() => none) : none;
  const { environments } = session;
  const last = sessionStorage.getItem(ENVIRONMENT_KEY);
  environment = environments.find((each) => each === last) ?? environments[0];
  if (environmentSelect) {
    environmentSelect.append(
      ...environments.map((each) => new Option(each, each, false, each === environment)),
    );
    environmentSelect.addEventListener("change", () => {
      environment = environmentSelect.value;
      sessionStorage.setItem(ENVIRONMENT_KEY, environment);
      void showAccount(new Headers({ "x-console": environment }));
    });
  }
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { headers } = request;
    // The renewal of the session.
    if (headers.get("x-console") === "session") return sendOnce(request);
    if (environment !== undefined && !headers.has("authorization")) headers.set("x-console", environment);
    const { query }: { readonly query: string } = await request.clone().json();
    const isMutation = MUTATION.test(query);
    const refusal = isMutation || keyOf(headers) !== shown ? await showAccount(headers) : undefined;
    if (refusal) return refusal;
    if (isMutation && !isAllowed(account?.textContent ?? ""))
      return Response.json({ errors: [{ message: "The mutation was not sent." }] });
    const reply = await send(request);
    if (!query.includes("__schema")) showHeaders(reply);
    return reply;
  };
  return environment !== undefined;
}

/** Sends a request, again after the roles of a person were read again. */
async function send(request: Request): Promise<Response> {
  const reply = await sendOnce(request.clone());
  if (reply.status !== 401 || request.headers.has("authorization")) return reply;
  const isRenewed = await renewSession("console/session/refresh").catch(() => false);
  return isRenewed ? sendOnce(request) : reply;
}

/** Shows status and headers of a reply: GraphiQL shows its body only. */
function showHeaders({ status, headers }: Response): void {
  if (!responseHeaders) return;
  const [summary, list] = responseHeaders.children;
  if (summary) summary.textContent = `Response headers: ${status}`;
  if (list) list.textContent = [...headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  responseHeaders.hidden = false;
}

/** Shows the account of credentials. @returns the service's reply if it rejects them */
async function showAccount(headers: Headers): Promise<Response | undefined> {
  const sent = new Headers({ "content-type": "application/json" });
  for (const name of CREDENTIALS) {
    const value = headers.get(name);
    if (value !== null) sent.set(name, value);
  }
  const body = JSON.stringify({ query: "{ viewer { accountName environment } }" });
  const reply = await send(new Request(location.pathname, { method: "POST", headers: sent, body }));
  const { data, errors }: Lookup = await reply.clone().json();
  const { accountName, environment: name } = data?.viewer ?? {};
  const isKnown = typeof accountName === "string" && typeof name === "string";
  shown = errors ? undefined : keyOf(headers);
  if (environmentLabel && environmentSelect)
    environmentLabel.hidden = environmentSelect.options.length < 2 || headers.has("authorization");
  if (account) {
    account.className = isKnown ? `badge ${name.toLowerCase()}` : "";
    account.textContent = isKnown
      ? `${accountName} · ${name === "CUSTOMER" ? "Customer" : "Testing"}`
      : (errors?.[0]?.message ?? "Not signed in. Add an API key under Headers, or");
  }
  document
    .querySelector("#sign-in")
    ?.toggleAttribute("hidden", isKnown || pageData.disabled.includes("console"));
  return errors ? reply : undefined;
}

/** Asks once for each account and environment. */
function isAllowed(name: string): boolean {
  if (!allowed.has(name) && confirm(`Run mutations as ${name}? They change its data.`)) allowed.add(name);
  return allowed.has(name);
}

function keyOf(headers: Headers): string {
  return CREDENTIALS.map((name) => headers.get(name)).join();
}
