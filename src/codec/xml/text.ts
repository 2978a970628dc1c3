import type { Field, ScalarType } from '../../model/field.ts';
import { isAnyText, primitiveOf, traitsOf } from '../../model/scalar.ts';
import type { Value } from '../../model/value.ts';
import { isWhite, trimmed } from '../../wire/white-space.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { compileScalar, valueWhenEmpty } from '../scalar.ts';
import type { Foreign } from '../value.ts';
import { fromSpacedBase64, type Resolve, readBinary } from './binary-content.ts';
import { checkAttributes, markupOrText, onlyText } from './content.ts';

/** Reads an element; `undefined` when the element has no value. */
type Read = (element: XmlElement, depth: number, resolve: Resolve | undefined) => Value;

/** @param blank whether an empty element counts as absent if its type has no empty value */
export function scalarReader(field: Field, type: ScalarType, blank: boolean, foreign: Foreign): Read {
  if (primitiveOf(type) === 'binary') {
    return (element, _depth, resolve) => {
      checkAttributes(element, foreign);
      return blank && element.content.length === 0 ? undefined : readBinary(element, resolve);
    };
  }
  const read = textReader(field, type, blank, foreign);
  const contentOf = traitsOf(type).xml.markup ? markupOrText : onlyText;
  const whenEmpty = blank ? undefined : valueWhenEmpty(field, type);
  return (element) => {
    checkAttributes(element, foreign);
    const content = contentOf(element);
    return content === '' && whenEmpty !== undefined ? whenEmpty : read(content);
  };
}

export function textReader(field: Field, type: ScalarType, blank: boolean, foreign: Foreign): (text: string) => Value {
  const fromText = primitiveOf(type) === 'binary' ? fromSpacedBase64 : compileScalar(field, type, foreign).fromText;
  const { preserved } = traitsOf(type).xml;
  const read = preserved ? fromText : (text: string) => fromText(trimmed(text));
  if (!blank || isAnyText(type)) return read;
  const isBlank = preserved ? (text: string) => text === '' : isWhite;
  return (text) => (isBlank(text) ? undefined : read(text));
}
