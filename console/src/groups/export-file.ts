import type { ExportPartsFragment } from "../api/generated/operations.js";

/** Downloads groups as JSON Lines, in the format of the command `import --groups`. Tokens are not included. */
export function download(groups: readonly ExportPartsFragment[]): void {
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
  const url = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "application/jsonl" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "groups.jsonl";
  link.click();
  URL.revokeObjectURL(url);
}
