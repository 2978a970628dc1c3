import { childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';

/** What an IBRequest says: names of what is asked for, and the message itself as text. */
export interface IbRequest {
  readonly operationName?: string;
  readonly operationType?: string;
  readonly from?: string;
  readonly to?: string;
  /** Content of the first section; undefined where there is none. */
  readonly data?: string;
}

/**
 * The broker's own request document, an element without a namespace: `ExternalOperationName` or `OperationName`,
 * `OperationType`, `From/RequestingNode`, `To/DestinationNode` and `ContentSections/ContentSection/Data`, whose text is
 * the message.
 * @returns undefined for any other element
 */
export function readIbRequest(root: XmlElement): IbRequest | undefined {
  if (root.local !== 'IBRequest' || root.namespace !== '') return undefined;
  const text = (...path: string[]): string | undefined => {
    let found: XmlElement | undefined = root;
    for (const name of path) found = found && childrenOf(found).find((each) => each.local === name);
    return found === undefined ? undefined : textOf(found);
  };
  const said = {
    operationName: (text('ExternalOperationName') ?? text('OperationName'))?.trim(),
    operationType: text('OperationType')?.trim(),
    from: text('From', 'RequestingNode')?.trim(),
    to: text('To', 'DestinationNode')?.trim(),
    data: text('ContentSections', 'ContentSection', 'Data'),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined && value !== ''));
}
