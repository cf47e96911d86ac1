import type { ExportPartsFragment } from "../api/generated/operations.js";
import { saveFile } from "../parts/save-file.js";

/** Downloads groups as JSON Lines, in the format of the command `import --groups`. Tokens are not included. */
export function saveGroups(groups: readonly ExportPartsFragment[]): void {
  const lines = groups.map(({ providedId, name, properties, mapping }) =>
    JSON.stringify({
      provided_id: providedId,
      name,
      properties,
      mapping: Object.fromEntries(
        mapping.map(({ schemaId, dataSource }) => [schemaId, dataSource.providedId]),
      ),
    }),
  );
  saveFile("groups.jsonl", `${lines.join("\n")}\n`);
}
