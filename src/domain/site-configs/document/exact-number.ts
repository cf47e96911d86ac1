/**
 * Says whether programs that read numbers as 64-bit floats, as most do, get what a JSON text says: a fraction may be rounded,
 * a whole number must keep its digits.
 * @param source as the text spells it
 * @param value what it is as a float, which is finite
 */
export function isExactNumber(source: string, value: number): boolean {
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return true;
  // JavaScript writes 2^64 as 18446744073709552000 and reads it back the same. Finite numbers have at most 309 digits here.
  return source === String(value) || BigInt(source) === BigInt(value);
}
