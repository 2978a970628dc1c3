import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { HeaderBinding, Method, UriVariable } from '../../model/service.ts';
import { receivable } from '../../wire/uri-template/layout.ts';
import {
  parseUriTemplate,
  type TemplateVariable,
  type UriTemplate,
  UriTemplateError,
} from '../../wire/uri-template/uri-template.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { typeWords } from '../document/field-type.ts';
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

/** Where the values of a call come from. */
export interface InputFields {
  /** The request's own, then those of the template document. */
  readonly byName: ReadonlyMap<string, Field>;
  /** False where a document of them could not be used: what they lack is nobody's mistake. */
  readonly complete: boolean;
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

/** The fields that a call may fill: of the request, then of the template document. */
export function inputFields(linking: Linking, documents: readonly (Document | undefined | 'unknown')[]): InputFields {
  const byName = new Map<string, Field>();
  let complete = true;
  for (const document of documents) {
    if (document === undefined) continue;
    if (document === 'unknown' || linking.incomplete.has(document)) complete = false;
    if (document === 'unknown') continue;
    for (const field of document.fields) if (!byName.has(field.name)) byName.set(field.name, field);
  }
  return { byName, complete };
}

/** Ties the variables of a template to fields. `whyNot` says why a field can't fill one. */
export function linkVariables(
  { report }: Linking,
  { template, variableAt }: PlacedTemplate,
  input: InputFields,
  whyNot: (variable: TemplateVariable, field: Field) => string | undefined = whyNotReadBack,
): UriVariable[] {
  return template.variables.flatMap((variable) => {
    const field = input.byName.get(variable.name);
    if (field === undefined) {
      const known = [...input.byName.keys()];
      if (input.complete)
        report.raise('unknown-variable', { variable: variable.name, known }, variableAt(variable.name));
      return [];
    }
    const reason = whyNot(variable, field);
    if (reason !== undefined)
      report.raise('variable-type', { variable: variable.name, reason }, variableAt(variable.name));
    const { place, wireName, required } = variable;
    return { field, place, wireName, required };
  });
}

function whyNotReadBack(variable: TemplateVariable, { type }: Field): string | undefined {
  if (variable.prefix !== undefined)
    return `a prefix ({${variable.name}:${variable.prefix}}) does not carry the whole value`;
  return whyNoText(type);
}

/** Why a value has no form in a text; undefined where it has. */
export function whyNoText(type: Field['type']): string | undefined {
  const item = type.kind === 'list' ? type.item : type;
  if (item.kind === 'document') return `it is ${typeWords(type)}, which has no form in a text`;
  return item.kind === 'binary' ? 'it is binary content' : undefined;
}

/** Headers that belong to the protocol or to what the gateway does with a request. */
export const OWN_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'accept',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Ties request headers to fields: those of the service, unless the operation says otherwise, and its own. */
export function linkHeaders(linking: Linking, spot: OperationSpot, input: InputFields): HeaderBinding[] {
  return saidHeaders(spot).flatMap(({ header, container }) => linkHeader(linking, container, header, input) ?? []);
}

/** A header as it is spelled, and the map that it stands in. */
interface SaidHeader {
  readonly header: string;
  readonly container: Readonly<Record<string, string>>;
}

/** The headers of the service, unless the operation or what overrides its routing says otherwise, and theirs; letter case apart. */
export function saidHeaders(spot: OperationSpot): SaidHeader[] {
  const said = new Map<string, SaidHeader>();
  for (const container of [spot.above('headers'), spot.declared.headers, spot.override?.declared.headers]) {
    for (const header of Object.keys(container ?? {})) {
      if (container !== undefined) said.set(header.toLowerCase(), { header, container });
    }
  }
  return [...said.values()];
}

function linkHeader(
  { report, places }: Linking,
  container: Readonly<Record<string, string>>,
  header: string,
  input: InputFields,
): HeaderBinding | undefined {
  const text = container[header] ?? '';
  const at = places.value(container, header);
  const name = /^\{([^{}]+)\}$/.exec(text)?.[1];
  const field = name === undefined ? undefined : input.byName.get(name);
  if (OWN_HEADERS.has(header.toLowerCase())) {
    const reason = "belongs to the protocol and can't be tied to a field";
    report.raise('bad-header', { header, reason }, places.key(container, header));
  } else if (name === undefined) {
    report.raise('bad-header', { header, reason: `is not tied to one field: ${JSON.stringify(text)}` }, at);
  } else if (field === undefined) {
    if (input.complete)
      report.raise('bad-header', { header, reason: `names ${name}, which is no field of the request` }, at);
  } else {
    const reason = whyNoText(field.type);
    if (reason === undefined) return { header, field };
    report.raise('variable-type', { variable: field.name, reason }, at);
  }
  return undefined;
}
