const NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Any number, but in strings also some other text, with an exponent or more digits than a float certainly keeps. */
const SUSPICIOUS = /[:,[\s]-?\d(?:[\d.]{15}|[\d.]*[eE])/;
/** The closing quote is optional: a pattern that can fail inside a string would take exponential time. */
const STRING_OR_NUMBER = /"(?:[^"\\]+|\\.)*"?|-?\d[\d.eE+-]*/g;
/** Of `toPrecision`. */
const MAX_DIGITS = 100;

/**
 * Replaces the numbers that a 64-bit float does not keep by 1e999, which is parsed as Infinity and refused by `parseJsonValue`. JSON.parse
 * would round them without notice.
 */
export function markInexactNumbers(json: string): string {
  if (!SUSPICIOUS.test(json)) return json;
  return json.replaceAll(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || keepsDigits(token) ? token : "1e999",
  );
}

/** Returns whether a number is that of the nearest 64-bit float, written with as many digits; true for text that is no number. */
export function keepsDigits(number: string): boolean {
  const { digits, exponent } = toDecimal(number);
  if (digits === "") return true;
  if (digits.length > MAX_DIGITS) return false;
  const float = Number(number);
  // Halfway between two spellings, JavaScript writes numbers with the even digit, and rounds up to a precision.
  return [String(float), float.toPrecision(digits.length)].some((text) => {
    const kept = toDecimal(text);
    return kept.digits === digits && kept.exponent === exponent;
  });
}

/** Splits a number into its digits without outer zeros, and the power of ten of the last one. */
function toDecimal(number: string): { readonly digits: string; readonly exponent: number } {
  const [, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  let end = digits.length;
  // A pattern would take quadratic time for many zeros.
  while (digits[end - 1] === "0") end -= 1;
  return { digits: digits.slice(0, end), exponent: Number(exponent) - fraction.length + digits.length - end };
}
