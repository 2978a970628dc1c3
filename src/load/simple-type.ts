import type { ScalarType } from '../model/field.ts';
import type { SimpleType } from '../model/simple-type.ts';
import { isXmlName } from '../wire/xml/text.ts';
import { type Place, placeText } from './diagnostic/diagnostic.ts';
import { linkField } from './document/field.ts';
import { type DocumentSource, parseTypeWord } from './document/field-type.ts';
import { RESERVED } from './document/reserved.ts';
import { byId, declarationsOf, type Linking } from './linking.ts';
import { given } from './object.ts';
import type { Declaration } from './read/declaration.ts';
import type { FieldDeclared } from './schema/document.ts';
import type { TypeDeclared } from './schema/type.ts';

/** Links every named simple type, and makes them known to the fields that are linked after them. */
export function linkSimpleTypes(linking: Linking): Map<string, SimpleType> {
  const linked = declarationsOf<TypeDeclared>(linking, 'type').flatMap((declaration) => {
    const type = linkSimpleType(linking, declaration);
    if (type === undefined) linking.declared.reject('type', declaration.id);
    else linking.types.set(type.id, { type, declared: declaration.value });
    return type ?? [];
  });
  return byId(linked);
}

/** `undefined` for one with errors, which have been reported: the fields that use it have none of their own by it. */
function linkSimpleType(linking: Linking, { id, value, at }: Declaration<TypeDeclared>): SimpleType | undefined {
  const { report, places, declared } = linking;
  let isSound = true;
  const raise: Linking['report']['raise'] = (...args) => {
    isSound = false;
    report.raise(...args);
  };
  if (RESERVED.has(id)) raise('reserved-name', { name: id, why: 'it is the name of a type or a message' }, at);
  const document = declared.of('document').get(id);
  if (document !== undefined)
    raise('duplicate-id', { what: `type or document ${id}`, first: placeText(document.at) }, at);
  const base = baseOf({ ...linking, report: { ...report, raise } }, value, places.value(value, 'base'));
  if (base === undefined) return undefined;
  const field = linkRestricted({ ...linking, report: { ...report, raise } }, id, value);
  if (field === undefined) return undefined;
  const { anyCase, enum: listed, labels, patterns, space, minimum, maximum, range, digits, fraction, example } = field;
  const facets = given({ enum: listed, labels, patterns, space, minimum, maximum, range, digits, fraction, example });
  if (value['xml-type'] !== undefined && !isXmlName(value['xml-type']))
    raise('xml-name', { name: value['xml-type'] }, places.value(value, 'xml-type'));
  const shown = given({
    description: value.description,
    xmlType: value['xml-type'],
    namespace: value.namespace,
  });
  return isSound ? { id, ...shown, base, anyCase, ...facets, at: field.at } : undefined;
}

/** The type of a single value that a word names. */
function baseOf({ report }: Linking, { base }: TypeDeclared, at: Place): ScalarType | undefined {
  const word = parseTypeWord(base);
  if (word.kind === 'scalar' && !word.list && !word.map) return word.type;
  const reason = word.kind === 'bad' ? word.reason : 'a named type is a single value, such as `string(10)`';
  report.raise('bad-type', { type: base, reason }, at);
  return undefined;
}

/** A field with the base for its type and the same restrictions, whose rules are the same. */
function linkRestricted(linking: Linking, id: string, value: TypeDeclared) {
  const { type: _, base, 'xml-type': __, namespace: ___, ...rest } = value;
  const declared: FieldDeclared = { ...rest, type: base };
  const container = { [id]: declared };
  linking.places.alias(declared, value);
  linking.places.alias(container, value);
  const nowhere: DocumentSource = {
    linking,
    find: () => undefined,
    inPlace: () => {
      throw new TypeError('a type has no fields');
    },
  };
  return linkField(nowhere, container, id, { id, name: id });
}
