import { trimmed } from '../../wire/white-space.ts';
import { childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';

/** Names of elements, without a prefix. */
export interface KeyValueNames {
  /** The element that is repeated; `item` by default. */
  readonly item?: string;
  /** The element with the key, inside an item; `key` by default. */
  readonly key?: string;
}

/**
 * Finds a value by its key in repeating elements:
 *
 * ```xml
 * <root><level1><level2><level3>
 *   <item><key>COLOUR</key><value>red</value><type>string</type></item>
 *   <item><key>SIZE</key><value>7</value><type>number</type></item>
 * </level3></level2></level1></root>
 * ```
 *
 * `valueByKey(root, 'SIZE')` is `7`. Items stand at any depth below the root, or are the elements given; they are known by
 * local name, in whatever namespace. White space around a key does not count.
 * @returns the text of the element that follows the key in its item, whatever its name; of several items with the key that
 *   of the first. `undefined` when no item has the key, or nothing follows it
 */
export function valueByKey(
  root: XmlElement | readonly XmlElement[],
  key: string,
  { item = 'item', key: keyName = 'key' }: KeyValueNames = {},
): string | undefined {
  const search = (elements: readonly XmlElement[]): XmlElement | undefined => {
    for (const element of elements) {
      const children = childrenOf(element);
      if (element.local === item) {
        const at = children.findIndex((child) => child.local === keyName && trimmed(textOf(child)) === key);
        if (at >= 0 && at + 1 < children.length) return children[at + 1];
      }
      const found = search(children);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const found = search('content' in root ? [root] : root);
  return found === undefined ? undefined : textOf(found);
}
