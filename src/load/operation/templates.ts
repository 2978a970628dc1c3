import type { Method } from '../../model/service.ts';
import { receivable } from '../../wire/uri-template/layout.ts';
import { parseUriTemplate, type UriTemplate, UriTemplateError } from '../../wire/uri-template/uri-template.ts';
import type { Place } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';
import { METHOD_KEYS } from '../schema/operation.ts';
import type { OperationSpot } from './spot.ts';

/** A template of an operation, where it stands. */
export interface PlacedTemplate {
  /** The URI index, from 1. */
  readonly index: number;
  readonly template: UriTemplate;
  /** It is written with a slash in front, which is no part of the template. */
  readonly slash: boolean;
  readonly at: Place;
  /** Where a variable stands in it. */
  readonly variableAt: (name: string) => Place;
}

/** The method of an operation: the one key that names it; undefined where it is SOAP alone. */
export function methodOf({ declared }: OperationSpot): Method | undefined {
  const key = METHOD_KEYS.find((each) => declared[each] !== undefined);
  return key?.toUpperCase() as Method | undefined;
}

/** How many templates an operation declares. */
export function templateCount({ declared }: OperationSpot, method: Method | undefined): number {
  if (method === undefined) return 0;
  const said = declared[method.toLowerCase() as Lowercase<Method>] ?? [];
  return typeof said === 'string' ? 1 : said.length;
}

/** The templates of an operation that is answered here; those that no request can match are reported and left out. */
export function linkTemplates(linking: Linking, spot: OperationSpot, method: Method): PlacedTemplate[] {
  return parseTemplates(linking, spot, method).filter(({ template, at }) => {
    const reason = receivable(template);
    if (reason !== undefined) linking.report.raise('template-not-receivable', { reason }, at);
    return reason === undefined;
  });
}

/** Parses the templates of an operation; those that are none are reported and left out. */
export function parseTemplates(
  { report, places }: Linking,
  { declared }: OperationSpot,
  method: Method,
): PlacedTemplate[] {
  const key = method.toLowerCase() as Lowercase<Method>;
  const said = declared[key] ?? [];
  const texts = typeof said === 'string' ? [said] : said;
  return texts.flatMap((text, position) => {
    const spot: [object, string | number] = typeof said === 'string' ? [declared, key] : [said, position];
    const at = places.value(...spot);
    // The slash between service and template is written by whoever joins them.
    const start = text.startsWith('/') ? 1 : 0;
    try {
      const template = parseUriTemplate(text.slice(start));
      const variableAt = (name: string): Place => {
        const offset = text.search(new RegExp(`(?<=[{,?&+./;])${escapeRegExp(name)}(?=[},*:])`));
        return offset < 0 ? at : places.inText(...spot, offset, name.length);
      };
      return { index: position + 1, template, slash: start > 0, at, variableAt };
    } catch (error) {
      if (!(error instanceof UriTemplateError)) throw error;
      report.raise('bad-template', { reason: error.message }, places.inText(...spot, error.offset + start, 1));
      return [];
    }
  });
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
