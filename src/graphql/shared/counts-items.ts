/** Schema extension of types whose list items are counted by the reply budget at run time, at any nesting (decision 27). */
export const COUNTS_ITEMS = "countsItems";
