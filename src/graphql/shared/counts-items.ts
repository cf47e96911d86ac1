/** The extension of a type that counts the items of its lists in the reply's budget, however they nest (decision 27). */
export const COUNTS_ITEMS = "countsItems";
