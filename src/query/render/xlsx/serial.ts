/**
 * Dates and times as numbers: days since the last of 1899, of the 1900 date system (ISO/IEC 29500-1, 18.17.4.1). It takes
 * 1900 for a leap year, so that days before 1 March 1900 have no number that all readers agree on.
 */

import type { Zone } from '../../../wire/timezone.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
/** The day that is number 0 from March 1900 on. */
const EPOCH = Date.UTC(1899, 11, 30);
const FIRST = Date.UTC(1900, 2, 1);

const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const timePattern = /^\d{2}:\d{2}:\d{2}(?:\.\d+)?$/;
const datetimePattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2}(?:\.\d+)?)(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** The number of a `yyyy-MM-dd`; undefined where there is none. */
export function dateSerial(date: string): number | undefined {
  const start = startOf(date);
  return start === undefined || start < FIRST ? undefined : (start - EPOCH) / DAY;
}

/** The part of a day that an `HH:mm:ss`, with a fraction or without, is; undefined where there is none. */
export function timeSerial(time: string): number | undefined {
  const milliseconds = millisecondsOf(time);
  return milliseconds === undefined ? undefined : milliseconds / DAY;
}

/** Compiles the numbers of xs:dateTime with an offset: what clocks of the zone show then. Undefined where there is none. */
export function compileDatetimeSerial(zone: Zone): (datetime: string) => number | undefined {
  return (datetime) => {
    const match = datetimePattern.exec(datetime);
    if (match === null) return undefined;
    const [, date = '', time = '', sign, hours = '0', minutes = '0'] = match;
    const day = startOf(date);
    const within = millisecondsOf(time);
    if (day === undefined || within === undefined) return undefined;
    const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
    const local = day + within;
    const wall = zone.offsetAt(datetime) === offset ? local : onTheClock(local - offset * MINUTE, zone);
    return wall < FIRST ? undefined : (wall - EPOCH) / DAY;
  };
}

/** Milliseconds, as if in UTC, that the zone's clocks show at an instant. */
function onTheClock(instant: number, zone: Zone): number {
  // The offset that holds up to a change of the clock reaches as far as the larger of the two says.
  const around = [instant - DAY, instant + DAY].map((each) => zone.offsetAt(textOf(each)));
  return instant + zone.offsetAt(textOf(instant + Math.max(...around) * MINUTE)) * MINUTE;
}

function textOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19);
}

/** Milliseconds of a day's start; undefined where there is no such day, or it is before 1900. */
function startOf(date: string): number | undefined {
  if (!datePattern.test(date)) return undefined;
  const year = Number(date.slice(0, 4));
  const month = Number(date.slice(5, 7)) - 1;
  const day = Number(date.slice(8));
  if (year < 1900) return undefined;
  const start = Date.UTC(year, month, day);
  // A day that is in no calendar is one of another month.
  return start >= Date.UTC(year, month, 1) && start < Date.UTC(year, month + 1, 1) && month <= 11 ? start : undefined;
}

function millisecondsOf(time: string): number | undefined {
  if (!timePattern.test(time)) return undefined;
  const hours = Number(time.slice(0, 2));
  const minutes = Number(time.slice(3, 5));
  const seconds = Number(time.slice(6));
  if (hours > 23 || minutes > 59 || seconds >= 60) return undefined;
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
