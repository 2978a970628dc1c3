/**
 * Offsets of a time zone for local times, from the zone data of the runtime (ECMA-402). A local time that occurs twice,
 * or never, gets the offset in effect before the clock change.
 */
export interface Zone {
  /**
   * The offset in minutes at a local time.
   * @param local `yyyy-MM-ddTHH:mm:ss`; a space instead of the T is accepted
   */
  offsetAt(local: string): number;
}

/**
 * The clock changes of one year: `minutes` applies until `date` (MM-dd) and `time` (HH:mm:ss), `last` after all of
 * them.
 */
interface Year {
  readonly changes: readonly { readonly date: string; readonly time: string; readonly minutes: number }[];
  readonly last: number;
}

const MINUTE = 60_000;
const DAY = 86_400_000;
const YEARS_KEPT = 500;

/**
 * Compiles a zone; the changes of a year are computed on first use and cached.
 * @throws RangeError for a name that is not an IANA zone
 */
export function compileZone(name: string): Zone {
  // Loading the zone data costs about 20 ms, and UTC, the usual zone, does not need it.
  if (name === 'UTC') return { offsetAt: () => 0 };
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  const years = new Map<string, Year>();
  return {
    offsetAt(local) {
      const key = local.slice(0, 4);
      let year = years.get(key);
      if (year === undefined) {
        if (years.size >= YEARS_KEPT) years.clear();
        year = changesOf(Number(key), format);
        years.set(key, year);
      }
      if (year.changes.length === 0) return year.last;
      const date = local.slice(5, 10);
      for (const change of year.changes) {
        if (date < change.date || (date === change.date && local.slice(11, 19) < change.time)) return change.minutes;
      }
      return year.last;
    },
  };
}

/** Whether a zone has had one offset at all times since 1970, so that no local time occurs twice. */
export function keepsOffset({ offsetAt }: Zone): boolean {
  const now = new Date().getUTCFullYear();
  const first = offsetAt(`${now}-01-01T00:00:00`);
  for (let year = 1970; year <= now + 1; year += 1)
    for (let month = 1; month <= 12; month += 1)
      if (offsetAt(`${year}-${String(month).padStart(2, '0')}-15T00:00:00`) !== first) return false;
  return true;
}

/** The offset at an instant, in whole minutes, the precision of XML Schema and ISO 8601. */
function offsetOf(instant: number, format: Intl.DateTimeFormat): number {
  const name = format.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /^GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name);
  const minutes = Number(match?.[2] ?? 0) * 60 + Number(match?.[3] ?? 0);
  return match?.[1] === '-' ? -minutes : minutes;
}

function changesOf(year: number, format: Intl.DateTimeFormat): Year {
  const start = utc(year);
  const end = utc(year + 1);
  const changes: { date: string; time: string; minutes: number }[] = [];
  // One day more on both sides: local years begin before or after the UTC year.
  let before = offsetOf(start - DAY, format);
  for (let day = start - DAY; day < end + DAY; day += DAY) {
    const after = offsetOf(day + DAY, format);
    if (after === before) continue;
    const instant = firstWith(after, day, day + DAY, format);
    const wall = instant + Math.max(before, after) * MINUTE;
    if (wall > start && wall < end) {
      const text = new Date(wall).toISOString();
      changes.push({ date: text.slice(-19, -14), time: text.slice(-13, -5), minutes: before });
    } else if (wall >= end) {
      break;
    }
    before = after;
  }
  return { changes, last: before };
}

/** The first second between two instants at which an offset applies. */
function firstWith(offset: number, from: number, to: number, format: Intl.DateTimeFormat): number {
  let low = from;
  let high = to;
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offsetOf(middle, format) === offset) high = middle;
    else low = middle;
  }
  return high;
}

function utc(year: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, 0, 1);
  return date.getTime();
}

/** The instant of an xs:dateTime, in milliseconds since 1970. @param zone the zone of one without an offset */
export function instantOf(datetime: string, zone: Zone): number {
  if (/(?:Z|[+-]\d{2}:\d{2})$/.test(datetime)) return Date.parse(datetime);
  return Date.parse(`${datetime}Z`) - zone.offsetAt(datetime) * MINUTE;
}

/** `+hhmm`, or `+hh:mm` with a colon between. */
export function offsetText(minutes: number, colon: '' | ':'): string {
  const size = Math.abs(minutes);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${hours}${colon}${String(size % 60).padStart(2, '0')}`;
}
