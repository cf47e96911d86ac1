import { markdownTable } from "../markdown-table.js";
import type { BenchDatabase } from "../postgres.js";

/** The sizes of the group tables and their indexes in bytes, by name. */
export type RelationSizes = ReadonlyMap<string, number>;

/** Reads the sizes; a table's size includes its free space map. */
export async function measureSizes({ query }: BenchDatabase): Promise<RelationSizes> {
  const rows = await query<{ name: string; bytes: number }>(
    `SELECT name, bytes::double precision AS bytes FROM (
      SELECT relid::regclass::text AS name, pg_table_size(relid) AS bytes, relid, 0 AS part
      FROM unnest('{user_group,mapping_entry}'::regclass[]) AS relid
      UNION ALL SELECT indexrelid::regclass::text, pg_relation_size(indexrelid), indrelid, 1
      FROM pg_index WHERE indrelid = ANY ('{user_group,mapping_entry}'::regclass[])
    ) AS relation ORDER BY relid DESC, part, name`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

/** Formats a row for each table and index. */
export function sizeTable(
  sizes: readonly { readonly groups: number; readonly relations: RelationSizes }[],
): string {
  const largest = sizes.at(-1);
  const names = [...(largest?.relations.keys() ?? [])];
  const tables = ["user_group", "mapping_entry"];
  const rows = [
    ...names.map((name) => ({ name, parts: [name] })),
    { name: "all indexes", parts: names.filter((name) => !tables.includes(name)) },
    { name: "all", parts: names },
  ];
  return markdownTable(
    ["", ...sizes.map(({ groups }) => `MB at ${groups.toLocaleString("en")}`), "bytes per group"],
    rows.map(({ name, parts }) => {
      const bytes = sizes.map(({ relations }) => sumOf(parts.map((part) => relations.get(part) ?? 0)));
      const perGroup = (bytes.at(-1) ?? Number.NaN) / (largest?.groups ?? Number.NaN);
      return [name, ...bytes.map((count) => megabytes(count)), perGroup.toFixed(0)];
    }),
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}
