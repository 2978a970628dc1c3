import { Fault } from '../model/fault.ts';
import { compileZone, instantOf, offsetText, type Zone } from '../wire/timezone.ts';

/** Times of requests. The gateway's own table has instants in UTC, the request table has texts in the gateway's zone. */
export interface Clock {
  /** In milliseconds since 1970. */
  now(): number;
  /** An instant for the request table: `yyyy-MM-dd HH:mm:ss` in the gateway's zone. */
  local(instant: number): string;
  /** An instant for callers: xs:dateTime in the gateway's zone. */
  shown(instant: number): string;
  /** A text of the request table for callers. */
  shownLocal(text: string): string;
  /**
   * The instant of a datetime from a caller. Without an offset it is in the given zone, else in the gateway's. A local time
   * that is skipped or repeated when the clock changes gets the offset from before the change.
   * @throws Fault BAD_PARAMETER naming TimeZone
   */
  instantOf(datetime: string, zone: string | undefined): number;
}

const MINUTE = 60_000;

/** @param timezone IANA zone of the gateway */
export function createClock(timezone: string, now: () => number): Clock {
  let gateway: Zone | undefined;
  let format: Intl.DateTimeFormat | undefined;
  const zone = (): Zone => {
    gateway ??= compileZone(timezone);
    return gateway;
  };
  const local = (instant: number): string => {
    if (timezone === 'UTC') return new Date(instant).toISOString().slice(0, 19).replace('T', ' ');
    // The Swedish format is that of ISO 8601.
    format ??= new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
    return format.format(instant);
  };
  return {
    now,
    local,
    shown(instant) {
      const text = local(instant).replace(' ', 'T');
      const seconds = Math.floor(instant / 1000) * 1000;
      return text + offsetText(Math.round((Date.parse(`${text}Z`) - seconds) / MINUTE), ':');
    },
    shownLocal: (text) => `${text.replace(' ', 'T')}${offsetText(zone().offsetAt(text), ':')}`,
    instantOf: (datetime, named) => instantOf(datetime, named === undefined ? zone() : zoneOf(named)),
  };
}

function zoneOf(name: string): Zone {
  try {
    return compileZone(name === 'Z' ? 'UTC' : name);
  } catch (error) {
    const reason = `is ${JSON.stringify(name)}, which is neither a time zone of the IANA database nor an offset such as +02:00`;
    throw Fault.of('BAD_PARAMETER', { name: 'TimeZone', reason }, { cause: error });
  }
}

/** An instant for the gateway's own tables. */
export function instantText(instant: number): string {
  return new Date(instant).toISOString();
}
