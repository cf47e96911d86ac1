import type { SessionAlgorithm } from "../api/generated/operations.js";

/** A session template for a dashboard tool, as docs/integrations has it. */
export interface Preset {
  readonly description: string;
  readonly algorithm: SessionAlgorithm;
  readonly claims: object;
  readonly lifetimeSeconds: number;
  readonly url?: string;
}

const files = import.meta.glob<Preset>("../../../docs/integrations/*.json", {
  eager: true,
  import: "default",
});

/** The presets by the names of their files, which are those of their pages in the documentation. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map(
  Object.entries(files).map(([path, preset]) => [path.replace(/^.*\/|\.json$/g, ""), preset]),
);

/** Name in the route of a tool without a preset. */
export const OTHER_TOOL = "other";

/** Returns the name of the tool, with which each description begins. */
export function toolOf({ description }: Preset): string {
  return description.split(":")[0] ?? description;
}
