/** What PostgreSQL is to write before each entry of its log: the database and the process. */
export const LOG_PREFIX = "%d|%p|";

/** A node of a plan, as EXPLAIN tells it in JSON. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

interface LoggedPlan {
  readonly "Query Text": string;
  readonly Plan: PlanNode;
  /** Settings of the planner that are not the default. */
  readonly Settings?: { readonly plan_cache_mode?: string };
}

/** How PostgreSQL reads one table for a statement. */
export interface TableAccess {
  readonly node: string;
  readonly table: string;
  readonly index: string | undefined;
  /** The columns by which the index is entered; none where the whole of it is read, or there is no index. */
  readonly columns: readonly string[];
}

/** A plan that PostgreSQL ran. */
export interface SeenPlan {
  /** The name under which it was prepared, or the statement itself where it has none. */
  readonly statement: string;
  /** Whether it must hold for all values. */
  readonly isGeneric: boolean;
  readonly nodes: readonly string[];
  readonly accesses: readonly TableAccess[];
}

const PLAN = /^LOG:\s+duration: [\d.]+ ms\s+plan:\n(\{.*\})\s*$/s;
const EXECUTE = /^LOG:\s+execute ([^:]+): (.*)$/s;
/** What stands left of a comparison in a condition of an index: a column, or a row of them. */
const COLUMNS = /\((?:ROW\((.+?)\)|\(?([a-z_]+)\)?(?:::\w+)?) (?:=|<|>)/g;
const CASTS = /\(([a-z_]+)\)::\w+/g;
const LONGEST = 90;

/** Puts the lines of PostgreSQL's log together, and reads out of it which plans statements have had. */
export class PlanLog {
  readonly #entries = new Map<string, string[]>();
  #current: { readonly database: string; text: string } | undefined;

  /** Takes a line. */
  take(line: string): void {
    if (line.startsWith("\t")) {
      if (this.#current) this.#current.text += `\n${line.slice(1)}`;
      return;
    }
    this.#finish();
    // A line without our prefix belongs to no entry.
    const parts = line.split("|");
    const [database = ""] = parts;
    if (parts.length < LOG_PREFIX.split("|").length) return;
    this.#current = { database, text: parts.slice(2).join("|") };
  }

  /** Each plan that was seen in a database, once. */
  plans(database: string): readonly SeenPlan[] {
    this.#finish();
    const entries = this.#entries.get(database) ?? [];
    const names = new Map<string, string>();
    for (const entry of entries) {
      const [, name, text] = EXECUTE.exec(entry) ?? [];
      if (name !== undefined && text !== undefined && name !== "<unnamed>") names.set(flat(text), name);
    }
    const seen = new Map<string, SeenPlan>();
    for (const entry of entries) {
      const [, json] = PLAN.exec(entry) ?? [];
      if (json === undefined) continue;
      const logged: LoggedPlan = JSON.parse(json);
      const text = flat(logged["Query Text"]);
      const plan = {
        statement: names.get(text) ?? shortened(text),
        isGeneric: logged.Settings?.plan_cache_mode === "force_generic_plan",
        nodes: [...new Set(nodesOf(logged.Plan).map((node) => node["Node Type"]))],
        accesses: nodesOf(logged.Plan).flatMap(accessOf),
      };
      seen.set(JSON.stringify(plan), plan);
    }
    return [...seen.values()];
  }

  #finish(): void {
    if (this.#current) {
      const { database, text } = this.#current;
      const entries = this.#entries.get(database) ?? [];
      this.#entries.set(database, entries);
      entries.push(text);
    }
    this.#current = undefined;
  }
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function accessOf(node: PlanNode): readonly TableAccess[] {
  const { "Node Type": type, "Relation Name": table = "", "Index Name": index } = node;
  // What a bitmap is used for stands beside where it comes from.
  if (type === "ModifyTable" || type === "Bitmap Heap Scan" || (table === "" && index === undefined))
    return [];
  const condition = (node["Index Cond"] ?? "").replace(CASTS, "$1");
  const columns = [...condition.matchAll(COLUMNS)].flatMap(
    ([, row, column]) => row?.split(", ") ?? column ?? [],
  );
  return [{ node: type, table, index, columns }];
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
