import { Refused } from '../model/security.ts';
import { DS, WSU } from '../wire/soap/wsse-names.ts';
import { isXmlName } from '../wire/xml/text.ts';
import { attributeOf, type XmlElement } from '../wire/xml/tree.ts';

// XML Signature 1.1 section 4.4.3.2, WSS: SOAP Message Security 1.1.1 section 4: references inside a document.

/** Local names of attributes that some XML reader treats as an id, in any namespace. */
const ID_NAMES: ReadonlySet<string> = new Set(['id', 'Id', 'ID']);
const LONGEST_REFERENCE = 256;

/** The id that references use: `wsu:Id`; elements of XML signatures have their own `Id`. */
function idOf(element: XmlElement): string | undefined {
  const id = attributeOf(element, 'Id', WSU);
  return id === undefined && element.namespace === DS ? attributeOf(element, 'Id') : id;
}

/** Finds the elements of an envelope that references name. */
export class Ids {
  /** How often each value occurs in attributes that some reader treats as an id. */
  readonly #counts = new Map<string, number>();
  readonly #found = new Map<string, XmlElement>();

  /** @throws Refused for a duplicate `wsu:Id` */
  constructor(envelope: XmlElement) {
    this.#walk(envelope);
  }

  #walk(element: XmlElement): void {
    for (const { local, namespace, value } of element.attributes) {
      if (!ID_NAMES.has(local)) continue;
      const count = (this.#counts.get(value) ?? 0) + 1;
      this.#counts.set(value, count);
      if (count > 1 && namespace === WSU) throw new Refused('an id occurs twice in the message');
    }
    const id = idOf(element);
    if (id !== undefined) this.#found.set(id, element);
    for (const each of element.content) if (typeof each !== 'string') this.#walk(each);
  }

  /**
   * The element that a reference `#id` names. No other attribute in the whole envelope may look like its id: a different
   * reader could resolve the reference to a different element.
   * @throws Refused
   */
  resolve(uri: string | undefined): { readonly id: string; readonly element: XmlElement } {
    const id = uri?.startsWith('#') && uri.length <= LONGEST_REFERENCE ? uri.slice(1) : '';
    if (!isXmlName(id)) throw new Refused('a reference is not to an id of the message');
    const element = this.#found.get(id);
    if (element === undefined) throw new Refused('a reference names an id that is not in the message');
    if (this.#counts.get(id) !== 1) throw new Refused('an id that a reference names occurs twice in the message');
    return { id, element };
  }
}
