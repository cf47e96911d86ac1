/** Returns whether a text has a format. Each takes time linear in the text. */
type IsValid = (text: string) => boolean;

/** The formats of texts in a schema for properties, with the error rule of each. */
export const PROPERTY_FORMATS = {
  color: {
    isValid: (text) => /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
    rule: "a color as #rgb or #rrggbb",
  },
  date: { isValid: isDate, rule: "a date such as 2026-11-28" },
  "date-time": {
    isValid: isDateTime,
    rule: "a time with its offset from UTC, such as 2026-11-28T09:30:00Z",
  },
  uri: { isValid: (text) => !/\s/.test(text) && URL.canParse(text), rule: "an absolute URI" },
  email: { isValid: (text) => /^[^\s@]+@[^\s@]+$/.test(text), rule: "an email address" },
  "time-zone": {
    isValid: (text) => timeZones().has(text),
    rule: "a time zone of the IANA database, such as Europe/Berlin",
  },
  currency: {
    isValid: (text) => currencies().has(text),
    rule: "a currency code of ISO 4217, such as EUR",
  },
} as const satisfies Readonly<Record<string, { readonly isValid: IsValid; readonly rule: string }>>;

export type PropertyFormat = keyof typeof PROPERTY_FORMATS;

/** Returns whether a text is the name of a format. */
export function isPropertyFormat(name: unknown): name is PropertyFormat {
  return typeof name === "string" && Object.hasOwn(PROPERTY_FORMATS, name);
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // JavaScript takes 30 February for 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [, date = "", hour, minute, second] =
    /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text) ??
    [];
  return isDate(date) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

/** Current names that V8 lists under former ones only. A constructor that accepts them takes a quarter of a millisecond, too long for a list of many. */
const RENAMED_ZONES = `UTC Etc/UTC Africa/Asmara America/Argentina/Buenos_Aires America/Argentina/Catamarca
  America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/Mendoza America/Atikokan America/Indiana/Indianapolis
  America/Kentucky/Louisville America/Nuuk Asia/Ho_Chi_Minh Asia/Kathmandu Asia/Kolkata Asia/Yangon Atlantic/Faroe Europe/Kyiv
  Pacific/Chuuk Pacific/Kanton Pacific/Pohnpei`;

const timeZones = once(() => new Set([...Intl.supportedValuesOf("timeZone"), ...RENAMED_ZONES.split(/\s+/)]));
const currencies = once(() => new Set(Intl.supportedValuesOf("currency")));

function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= create());
}
