import type { GroupListQuery } from "../api/generated/operations.js";

/** A row of the group list. */
export type ListedGroup = GroupListQuery["userGroups"]["nodes"][number];
