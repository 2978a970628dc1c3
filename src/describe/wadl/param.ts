import { type Field, singleType } from '../../model/field.ts';
import type { TransportScheme } from '../../model/security.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { mustBeGiven } from '../field.ts';
import { ncName } from '../names.ts';
import { type DescribedVariable, operatorNote } from '../uri.ts';
import { boundsNote, joined } from '../words.ts';
import { builtInType, lexical } from '../xsd/types.ts';

/** A URI variable as `param`: of a path in style `template` or `matrix`, else `query`. */
export function variableParam(variable: DescribedVariable): XmlElement {
  const { field, place, wireName, required, template } = variable;
  const style = place === 'query' ? 'query' : template.operator === ';' ? 'matrix' : 'template';
  return param(field, { style, name: wireName, required, note: operatorNote(variable) });
}

/** A header that a field of the request fills. */
export function headerParam(header: string, field: Field): XmlElement {
  return param(field, { style: 'header', name: header, required: mustBeGiven(field) });
}

/** Headers of API keys, so that a tool asks for one. WADL has no words for other credentials. */
export function apiKeyParams(schemes: readonly TransportScheme[]): XmlElement[] {
  return schemes.flatMap((scheme) => {
    if (scheme.kind !== 'api-key') return [];
    const required = schemes.length === 1 ? 'true' : undefined;
    const text = scheme.description ?? 'An API key.';
    return element('param', { name: token(scheme.header), style: 'header', type: 'xs:string', required }, [
      element('doc', {}, [text]),
    ]);
  });
}

/** A query parameter that never changes. */
export function constantParam({ name, value }: { readonly name: string; readonly value: string }): XmlElement {
  return element('param', { name: token(name), style: 'query', type: 'xs:string', required: 'true', fixed: value }, [
    spelling(name),
  ]);
}

/** A parameter beside what its field says. */
interface Place {
  readonly style: 'template' | 'matrix' | 'query' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly note?: string | undefined;
}

function param(field: Field, { style, name, required, note }: Place): XmlElement {
  const type = singleType(field.type);
  const words = joined(' ', field.description, note, boundsNote(field));
  const options = field.enum ?? (type.kind === 'flag' ? ['Y', 'N'] : []);
  return element(
    'param',
    {
      name: token(name),
      style,
      type: type.kind === 'document' || type.kind === 'xml' ? 'xs:string' : builtInType(type),
      default: field.default === undefined ? undefined : lexical(field.default),
      required: required ? 'true' : undefined,
      repeating: field.type.kind === 'list' ? 'true' : undefined,
      fixed: field.fixed === undefined ? undefined : lexical(field.fixed),
    },
    [
      spelling(name),
      words === undefined ? undefined : element('doc', {}, [words]),
      ...options.map((value) => element('option', { value: lexical(value) })),
    ],
  );
}

/** `param/@name` is an NMTOKEN (section 2.12.1); a name that is none is told in words. */
function token(name: string): string {
  return /^[\w.:-]+$/.test(name) ? name : ncName(name);
}

function spelling(name: string): XmlElement | undefined {
  return token(name) === name ? undefined : element('doc', { title: 'Name' }, [`On the wire the name is ${name}`]);
}
