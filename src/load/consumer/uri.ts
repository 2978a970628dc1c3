import type { CallBody } from '../../model/consumer.ts';
import type { Field } from '../../model/field.ts';
import type { Method, OperationUri } from '../../model/service.ts';
import { UriExpansionError } from '../../wire/uri-template/expand.ts';
import { type TemplateVariable, type UriTemplate, UriTemplateError } from '../../wire/uri-template/uri-template.ts';
import { compileUriExpander } from '../../wire/uri-template/write.ts';
import { positionOf } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';
import { type InputFields, linkVariables, whyNoText } from '../operation/input.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { type PlacedTemplate, parseTemplates } from '../operation/templates.ts';
import { secretInQuery } from '../value/secrets.ts';
import { bodyFields } from './body.ts';

/** The URIs of a call. They are only written, so that they need not be such as could be told apart again. */
export function linkCallUris(
  linking: Linking,
  spot: OperationSpot,
  method: Method,
  input: InputFields,
  parts: { readonly body: CallBody; readonly inHeaders: ReadonlySet<string>; readonly host: boolean },
): OperationUri[] {
  const { report } = linking;
  return parseTemplates(linking, spot, method).map((placed) => {
    const { index, template, at } = placed;
    const variables = linkVariables(linking, placed, input, (_, { type }: Field) => whyNoText(type));
    const unwritable = writeFault(template, input, parts.host);
    const hostless = parts.host && unwritable === undefined ? hostFault(placed) : undefined;
    if (secretInQuery(template.text.replace(/\{[^{}]*\}/g, ''))) {
      const instead = 'Write a value in its place, as in ?key={KEY}, and ${secret:NAME} for KEY under `values:`.';
      report.raise('secret-in-clear', { what: 'A secret of the URI template', instead }, at);
    }
    if (unwritable !== undefined) report.raise('template-not-writable', { reason: unwritable }, at);
    if (hostless !== undefined) report.raise('bad-host', { operation: spot.id, reason: hostless }, at);
    const elsewhere = new Set([...variables.map(({ field }) => field.name), ...parts.inHeaders]);
    const { body } = parts;
    if (body.kind === 'field' && variables.some(({ field }) => field.name === body.field.name))
      report.raise('bad-body', { reason: `The field ${body.field.name} is the body, and travels in the URI too` }, at);
    return { index, template, variables, body: bodyFields(body, input, elsewhere), repeats: [], at: positionOf(at) };
  });
}

/** Why a template can't be written for a call, as a clause; undefined where it can. */
function writeFault(template: UriTemplate, input: InputFields, hostText: boolean): string | undefined {
  const isFragment = template.parts.some((part) =>
    part.kind === 'literal' ? part.text.includes('#') : part.operator === '#',
  );
  if (isFragment) return 'a fragment (# or {#...}) is never sent';
  const [first] = template.parts;
  if (first?.kind === 'literal' && /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(first.text))
    return 'it begins with a scheme, which the base of the node has';
  try {
    const styleOf = ({ name }: TemplateVariable) => input.byName.get(name)?.url ?? 'segment';
    const expand = compileUriExpander(template, styleOf, { hostText });
    // No value can mend what the template's own text does.
    expand(Object.fromEntries(template.variables.map(({ name }) => [name, 'x'])));
    return undefined;
  } catch (error) {
    if (error instanceof UriTemplateError) return error.message;
    if (error instanceof UriExpansionError) return 'a segment . or .. changes where its path leads';
    throw error;
  }
}

/** Why a template can't begin with a host; undefined where it can. */
function hostFault({ template, slash }: PlacedTemplate): string | undefined {
  if (slash) return 'it begins with a slash';
  let host = '';
  for (const part of template.parts) {
    if (part.kind === 'expression') {
      const [variable, second] = part.variables;
      if (part.operator !== '' || second !== undefined || variable?.explode === true || variable?.prefix !== undefined)
        return 'a variable of a host stands alone in its braces';
      host += 'x';
      continue;
    }
    const slashAt = part.text.indexOf('/');
    host += slashAt < 0 ? part.text : part.text.slice(0, slashAt);
    if (slashAt >= 0) break;
  }
  if (host === '') return 'it begins with a slash';
  // RFC 3986 section 3.2.2, less what no DNS name holds; a port at the end.
  const found = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::([0-9]{1,5}))?$/.exec(host);
  const port = Number(found?.[1] ?? 1);
  if (port < 1 || port > 65_535) return `there is no port ${port}`;
  return found !== null && !host.includes('..')
    ? undefined
    : 'what stands before its first slash is letters, digits, dots, hyphens and variables, with a port at the end';
}
