// XML Signature 1.1 section 4.4.3.2, WSS: SOAP Message Security 1.1.1 section 4: what a reference inside a document names.

import { DS, WSU } from '../../wire/soap/wsse-names.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import { attributeOf, type XmlElement } from '../../wire/xml/tree.ts';
import { Refused } from '../refused.ts';

/** Local names of attributes that some reader takes for an id, in whatever namespace they stand. */
const ID_NAMES: ReadonlySet<string> = new Set(['id', 'Id', 'ID']);
const LONGEST = 256;

/** The id that references name: `wsu:Id`, of elements of XML signatures their own `Id`. */
function idOf(element: XmlElement): string | undefined {
  const id = attributeOf(element, 'Id', WSU);
  return id === undefined && element.namespace === DS ? attributeOf(element, 'Id') : id;
}

/** Finds elements of an envelope by what references name. */
export class Ids {
  /** How often a value stands in an attribute that some reader takes for an id. */
  readonly #counts = new Map<string, number>();
  readonly #found = new Map<string, XmlElement>();

  /** @throws Refused where one `wsu:Id` stands twice */
  constructor(envelope: XmlElement) {
    this.#walk(envelope);
  }

  #walk(element: XmlElement): void {
    for (const { local, namespace, value } of element.attributes) {
      if (!ID_NAMES.has(local)) continue;
      const count = (this.#counts.get(value) ?? 0) + 1;
      this.#counts.set(value, count);
      if (count > 1 && namespace === WSU) throw new Refused('an id stands twice in the message');
    }
    const id = idOf(element);
    if (id !== undefined) this.#found.set(id, element);
    for (const each of element.content) if (typeof each !== 'string') this.#walk(each);
  }

  /**
   * The element that a reference `#id` names. No other attribute of the whole envelope may look like its id: another
   * reader could find another element by it.
   * @throws Refused
   */
  resolve(uri: string | undefined): { readonly id: string; readonly element: XmlElement } {
    const id = uri?.startsWith('#') && uri.length <= LONGEST ? uri.slice(1) : '';
    if (!isXmlName(id)) throw new Refused('a reference is not to an id of the message');
    const element = this.#found.get(id);
    if (element === undefined) throw new Refused('a reference names nothing in the message');
    if (this.#counts.get(id) !== 1) throw new Refused('an id that is referred to stands twice in the message');
    return { id, element };
  }
}
