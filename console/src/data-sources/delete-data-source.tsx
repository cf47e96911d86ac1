import {
  type DataSourcePartsFragment,
  DeleteDataSourceDocument,
  GroupCountDocument,
} from "../api/generated/operations.js";
import { MutationDialog } from "../parts/confirm-dialog.js";
import { CloseAction, Dialog } from "../parts/dialog.js";
import { plural } from "../parts/plural.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";

interface DeleteDataSourceProps {
  readonly dataSource: DataSourcePartsFragment;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** Deletes a data source that no group uses. */
export function DeleteDataSource({ dataSource, onDeleted, onClose }: DeleteDataSourceProps) {
  const { id, name, providedId } = dataSource;
  const usage = useQuery(GroupCountDocument, { filter: { dataSource: { providedId } } });
  if (usage.isLoading) return null;
  const users = usage.data?.userGroups.totalCount ?? 0;
  if (users > 0) {
    return (
      <Dialog title={`${name} is in use`} onClose={onClose}>
        <p>
          <a href={hashOf(["groups"], { source: providedId })}>{plural(users, "group")}</a>{" "}
          {users === 1
            ? "uses it. Remove it from its mapping first."
            : "use it. Remove it from their mappings first."}
        </p>
        <CloseAction onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <MutationDialog
      title={`Delete ${name}?`}
      action="Delete data source"
      document={DeleteDataSourceDocument}
      variables={{ id }}
      notice={`${name} was deleted.`}
      onDone={() => {
        onDeleted();
        onClose();
      }}
      onClose={onClose}
    >
      <p>{usage.data && "No group uses it. "}This cannot be undone.</p>
    </MutationDialog>
  );
}
