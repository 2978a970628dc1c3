import { escapeText } from '../../wire/xml/text.ts';

/** What an IBResponse tells beside its kind. */
export type IbResponse =
  /** Done, or taken over: `transactionId` names the exchange. */
  | { readonly type: 'success'; readonly transactionId: string }
  /** `id` and `message` say what went wrong; `status` is the HTTP status that goes with it. */
  | { readonly type: 'error'; readonly id: string; readonly message: string; readonly status: number };

const TITLE = 'Integration Broker Response';

/** HTTP statuses after which the same request may succeed later: `StatusCode` 10, others are 20. */
const RETRY: ReadonlySet<number> = new Set([408, 429, 503, 504]);

/**
 * The broker's own answer, an element without a namespace: `StatusCode` is 0 where all is well, 10 where a caller may
 * try again, 20 for an error.
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
