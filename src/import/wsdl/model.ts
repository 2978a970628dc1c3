import { attributeOf, childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { Losses, Place } from '../place.ts';
import {
  attribute,
  childrenNamed,
  isSameDeclaration,
  placeOf,
  proseOf,
  type QName,
  qnameKey,
  readQName,
} from '../xml.ts';
import { WSDL } from './sources.ts';
import { PARTS } from './together.ts';

/** An element of WSDL with the file that it is in. */
export interface Part {
  readonly element: XmlElement;
  readonly location: string;
  /** The target namespace of its definitions. */
  readonly namespace: string;
}

type Kind = (typeof PARTS)[number];

/** The messages, port types, bindings and services of all files, by their qualified names. */
export class WsdlParts {
  readonly #parts: Readonly<Record<Kind, Map<string, Part>>> = {
    message: new Map(),
    portType: new Map(),
    binding: new Map(),
    service: new Map(),
  };
  readonly #losses: Losses;

  constructor(files: Iterable<readonly [location: string, definitions: XmlElement]>, losses: Losses) {
    this.#losses = losses;
    for (const [location, element] of files) {
      const namespace = attribute(element, 'targetNamespace') ?? '';
      for (const kind of PARTS) {
        for (const each of childrenNamed(element, WSDL, kind)) {
          const key = qnameKey({ namespace, local: attribute(each, 'name') ?? '' });
          const known = this.#parts[kind].get(key);
          if (known === undefined) this.#parts[kind].set(key, { element: each, location, namespace });
          // Files that are imported twice have the same.
          else if (!isSameDeclaration(known.element, each)) {
            const what = `a second, different ${WORDS[kind]} "${attribute(each, 'name') ?? ''}"`;
            this.#losses.add(what, 'the first one is taken', placeOf(each, location));
          }
        }
      }
    }
  }

  all(kind: Kind): readonly Part[] {
    return [...this.#parts[kind].values()];
  }

  named(kind: Kind, name: QName): Part | undefined {
    return this.#parts[kind].get(qnameKey(name));
  }

  /** What an attribute of an element refers to; `undefined` when it does not exist, which is recorded. */
  referred(kind: Kind, from: Part, attributeName: string): Part | undefined {
    const text = attribute(from.element, attributeName);
    if (text === undefined) return undefined;
    const name = readQName(text, from.element, from.location, this.#losses);
    const found = this.#parts[kind].get(qnameKey(name)) ?? this.#unqualified(kind, text, from);
    if (found === undefined) {
      this.#losses.add(`the ${WORDS[kind]} "${text}" does not exist`, 'what it declares is unknown', placeIn(from));
    }
    return found;
  }

  /** References without a prefix mean the target namespace to many tools, whatever the default namespace is. */
  #unqualified(kind: Kind, text: string, { namespace }: Part): Part | undefined {
    return text.includes(':') ? undefined : this.#parts[kind].get(qnameKey({ namespace, local: text.trim() }));
  }
}

const WORDS: Readonly<Record<Kind, string>> = {
  message: 'message',
  portType: 'port type',
  binding: 'binding',
  service: 'service',
};

export function placeIn({ element, location }: Part): Place {
  return placeOf(element, location);
}

/** A child of a part. */
export function inside({ location, namespace }: Part, element: XmlElement): Part {
  return { element, location, namespace };
}

export function nameOf({ element }: Part): string {
  return attribute(element, 'name') ?? '';
}

/** The text of its documentation. */
export function documentationOf({ element }: Part): string | undefined {
  return proseOf(childrenNamed(element, WSDL, 'documentation').map(allText));
}

function allText(element: XmlElement): string {
  if (childrenOf(element).length === 0) return textOf(element);
  return element.content.map((each) => (typeof each === 'string' ? each : allText(each))).join(' ');
}

/** A part of a message. */
export interface MessagePart {
  readonly name: string;
  readonly element?: QName;
  readonly type?: QName;
  readonly place: Place;
}

/** The parts of a message. */
export function partsOf(message: Part, losses: Losses): readonly MessagePart[] {
  return childrenNamed(message.element, WSDL, 'part').map((each) => {
    const place = placeOf(each, message.location);
    const qname = (local: string): QName | undefined => {
      const text = attributeOf(each, local);
      return text === undefined ? undefined : readQName(text, each, message.location, losses);
    };
    const element = qname('element');
    const type = qname('type');
    const name = attribute(each, 'name') ?? 'parameters';
    return { name, place, ...(element === undefined ? {} : { element }), ...(type === undefined ? {} : { type }) };
  });
}
