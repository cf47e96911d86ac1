import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

/** Sort order of a list: a column's sort key, and the direction. */
export interface Sort {
  readonly key: string;
  readonly isDescending: boolean;
}

/** Returns the sort order in the URL (`sort=name`, `sort=-name`) if it is one of `keys`, otherwise the default. */
export function useSort(keys: readonly string[], defaultSort: Sort): Sort {
  const { sort = "" } = useRoute().query;
  const key = sort.replace(/^-/, "");
  return keys.includes(key) ? { key, isDescending: sort.startsWith("-") } : defaultSort;
}

/** Returns a function that returns the link to the first page of the list in another order. */
export function useSortLinks(): (sort: Sort) => string {
  const { path, query } = useRoute();
  return ({ key, isDescending }) =>
    hashOf(path, { ...query, sort: (isDescending ? "-" : "") + key, after: null, before: null });
}
