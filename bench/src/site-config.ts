import { Ajv2020 } from "ajv/dist/2020.js";
import { parseTree } from "jsonc-parser";
import type { JsonObject } from "../../src/domain/shared/json.js";
import { diffJson } from "../../src/domain/site-configs/document/json-diff.js";
import { mergePatchText } from "../../src/domain/site-configs/document/merge-patch.js";
import { siteConfigJsonSchema } from "../../src/domain/site-configs/json-schema.js";
import type { SiteConfigReport } from "../../src/domain/site-configs/report.js";
import {
  validateSiteConfigDocument,
  validateSiteConfigText,
} from "../../src/domain/site-configs/validate-site-config.js";
import { markdownTable } from "./markdown-table.js";
import { measureInTurn, medianOf, medianRatio, type Subject } from "./measure.js";
import { siteConfigOf } from "./site-config-documents.js";

const SECONDS = 35;
/** With about 500 bytes each: 10, 100 and 1,000 KB. */
const PAGES = [20, 200, 2000];
const HEADS = ["", "bytes", "pages", "found", "ms", "MB/s", "× JSON.parse", "per byte"];

interface Site {
  readonly document: JsonObject;
  readonly pages: number;
  readonly text: string;
  readonly bytes: number;
  /** What all that is done with the text is compared with. */
  readonly parse: Subject;
}

interface Task {
  readonly name: string;
  readonly site: Site;
  readonly subject: Subject;
  /** What comes of it, in a word. */
  readonly found: string;
}

/** Shows how the time of work on site configurations grows with their size, and how it compares with `JSON.parse`. */
export async function benchSiteConfig(): Promise<string> {
  const accepts = new Ajv2020({ strict: true, strictRequired: false }).compile(siteConfigJsonSchema());
  const sizes = PAGES.map((pages) => tasksOf(pages, accepts));
  const subjects = new Set(sizes.flat().flatMap(({ site, subject }) => [site.parse, subject]));
  const samples = await measureInTurn([...subjects], SECONDS);
  const samplesOf = (subject: Subject) => samples.get(subject) ?? [];
  const rowOf = ({ name, site, subject, found }: Task, smallest: Task) => {
    const own = samplesOf(subject);
    const ms = medianOf(own);
    const growth = medianRatio(own, samplesOf(smallest.subject));
    return [
      name,
      site.bytes.toLocaleString("en"),
      site.pages.toLocaleString("en"),
      found,
      ms.toPrecision(3),
      (site.bytes / 1000 / ms).toPrecision(3),
      medianRatio(own, samplesOf(site.parse)).toFixed(2),
      ((growth * smallest.site.bytes) / site.bytes).toFixed(2),
    ];
  };
  const [smallest = []] = sizes;
  const rows = smallest.flatMap((first) =>
    sizes.flatMap((tasks) =>
      tasks.filter(({ name }) => name === first.name).map((task) => rowOf(task, first)),
    ),
  );
  return markdownTable(HEADS, rows);
}

function tasksOf(pages: number, accepts: (document: unknown) => boolean): Task[] {
  const valid = siteOf(siteConfigOf({ pages, state: "valid" }), pages);
  const invalid = siteOf(siteConfigOf({ pages, state: "invalid" }), pages);
  const changed = siteConfigOf({ pages, state: "changed" });
  const patch = { name: "Acme", colors: { primary: "#0af" }, feedback: null, backgroundImage: "/sky.png" };
  const options = { strict: false };
  return [
    { name: "JSON.parse", site: valid, subject: valid.parse, found: "" },
    task("parseTree of jsonc-parser", valid, () => parseTree(valid.text)),
    task("JSON.parse and JSON Schema", valid, () => accepts(JSON.parse(valid.text)), String),
    task("validate document", valid, () => validateSiteConfigDocument(valid.document, options), countsOf),
    task("validate text", valid, () => validateSiteConfigText(valid.text, options), countsOf),
    task("validate invalid text", invalid, () => validateSiteConfigText(invalid.text, options), countsOf),
    task("merge patch into text", valid, () => mergePatchText(valid.text, patch)),
    task("diff of documents", valid, () => diffJson(valid.document, changed), lengthOf),
  ];
}

function task<Result>(
  name: string,
  site: Site,
  run: () => Result,
  foundIn: (result: Result) => string = () => "",
): Task {
  return { name, site, subject: { run }, found: foundIn(run()) };
}

function siteOf(document: JsonObject, pages: number): Site {
  const text = JSON.stringify(document, null, 2);
  return { document, pages, text, bytes: Buffer.byteLength(text), parse: { run: () => JSON.parse(text) } };
}

/** Errors and warnings. */
function countsOf({ errors, warnings }: SiteConfigReport): string {
  return `${errors.length} + ${warnings.length}`;
}

function lengthOf(list: readonly unknown[]): string {
  return String(list.length);
}
