import {
  ExportPageDocument,
  type ExportPageQuery,
  type ExportPartsFragment,
  type UserGroupFilter,
} from "../api/generated/operations.js";
import { useNotice } from "../parts/notices.js";
import { plural } from "../parts/plural.js";
import { useDownload } from "../parts/use-download.js";
import { useSession } from "../session/session.js";
import { saveGroups } from "./export-file.js";

/** More groups are exported by the command line, which does not hold them in memory. */
const MAX_EXPORTED = 10_000;

/** Exports all groups of the list, or its first 10,000. */
export function ExportGroups({ filter }: { readonly filter: UserGroupFilter | undefined }) {
  const { client } = useSession();
  const notify = useNotice();
  const { isBusy, run } = useDownload("The export", async () => {
    const groups: ExportPartsFragment[] = [];
    let after: string | null = null;
    do {
      const { userGroups }: ExportPageQuery = await client.call(ExportPageDocument, {
        ...(filter ? { filter } : {}),
        ...(after === null ? {} : { after }),
      });
      groups.push(...userGroups.nodes);
      after = userGroups.pageInfo.hasNextPage ? userGroups.pageInfo.endCursor : null;
    } while (after !== null && groups.length < MAX_EXPORTED);
    saveGroups(groups);
    const rest = after === null ? "" : " There are more: export them with the command line.";
    notify(`${plural(groups.length, "group")} exported.${rest}`);
  });
  return (
    <button type="button" aria-disabled={isBusy} onClick={() => void run()}>
      {isBusy ? "Exporting…" : "Export"}
    </button>
  );
}
