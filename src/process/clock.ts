import { Fault } from '../model/fault.ts';
import { compileZone, offsetText, type Zone } from '../wire/timezone.ts';

/** Times of requests: instants of the gateway's own table (UTC), and texts in the gateway's zone of the request table. */
export interface Clock {
  /** In milliseconds since 1970. */
  now(): number;
  /** An instant as the request table has it: `yyyy-MM-dd HH:mm:ss` in the gateway's zone. */
  local(instant: number): string;
  /** An instant for callers, xs:dateTime in the gateway's zone. */
  shown(instant: number): string;
  /** A text of the request table for callers. */
  shownLocal(text: string): string;
  /**
   * A datetime that a caller gives. One without an offset is in the zone that it names, else in the gateway's; one that
   * the zone does not have, or has twice, is taken with the offset that held before the clock was changed.
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
    // Swedish writes dates as ISO 8601 does.
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
    instantOf(datetime, named) {
      const given = named === undefined ? zone() : zoneOf(named);
      if (/(?:Z|[+-]\d{2}:\d{2})$/.test(datetime)) return Date.parse(datetime);
      return Date.parse(`${datetime}Z`) - given.offsetAt(datetime) * MINUTE;
    },
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

/** An instant as the gateway's own tables have it. */
export function instantText(instant: number): string {
  return new Date(instant).toISOString();
}
