/**
 * Returns whether a number keeps its value when read as a 64-bit float: fractions may be rounded, integers must keep all digits.
 * @param source the number's source text
 * @param value the number as a finite float
 */
export function isExactNumber(source: string, value: number): boolean {
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return true;
  // JavaScript prints 2^64 as 18446744073709552000 and parses that to the same value. Finite numbers have at most 309 digits here.
  return source === String(value) || BigInt(source) === BigInt(value);
}
