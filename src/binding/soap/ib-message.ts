import { escapeText } from '../../wire/xml/text.ts';
import { childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';

/** The content of an IBRequest: the operation and the nodes, and the message itself as text. */
export interface IbRequest {
  readonly operationName?: string;
  readonly operationType?: string;
  readonly from?: string;
  readonly to?: string;
  /** Content of the first section; `undefined` when there is none. */
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

/** The content of an IBResponse. */
type IbResponse =
  /** The request was completed or accepted: `transactionId` names the exchange. */
  | { readonly type: 'success'; readonly transactionId: string }
  /** `id` and `message` describe the error; `status` is the matching HTTP status. */
  | { readonly type: 'error'; readonly id: string; readonly message: string; readonly status: number };

const TITLE = 'Integration Broker Response';

/** HTTP statuses after which the same request may succeed later: `StatusCode` 10, others are 20. */
const RETRY: ReadonlySet<number> = new Set([408, 429, 503, 504]);

/**
 * The broker's own reply, an element without a namespace: `StatusCode` is 0 on success, 10 if a caller may retry, 20
 * for an error.
 */
export function writeIbResponse(response: IbResponse): string {
  if (response.type === 'success') {
    const transaction = `<TransactionID>${escapeText(response.transactionId)}</TransactionID>`;
    return `<IBResponse type="success"><DefaultTitle>${TITLE}</DefaultTitle><StatusCode>0</StatusCode>${transaction}</IBResponse>`;
  }
  const { id, message, status } = response;
  return (
    `<IBResponse type="error"><DefaultTitle>${TITLE}</DefaultTitle>` +
    `<StatusCode>${RETRY.has(status) ? 10 : 20}</StatusCode><MessageID>${escapeText(id)}</MessageID>` +
    `<DefaultMessage>${escapeText(message)}</DefaultMessage><MessageParameters/></IBResponse>`
  );
}
