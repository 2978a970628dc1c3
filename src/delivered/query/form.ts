import type { ReplyRoot } from '../../model/document.ts';
import type { RunFormat } from '../../query/index.ts';
import type { DeliveredCall } from '../delivered-port.ts';

/** The form that `json_resp` asks for; `undefined` when it is absent and Accept decides. */
export function formByJsonResp(given: (name: string) => string | undefined): 'json' | 'xml' | undefined {
  const asked = given('json_resp')?.toLowerCase();
  if (asked === 'true' || asked === '1') return 'json';
  return asked === 'false' || asked === '0' ? 'xml' : undefined;
}

/** The root of a WEBROWSET outside of an envelope: clients of the original look for the rows below it. */
const RESULT_ROOT: ReplyRoot = { name: 'QAS_GETQUERYRESULTS_RESP_MSG', namespace: '', alone: true };

/** The element around a result, unless it is the one that its format has anyway. */
export function rootOf({ root }: DeliveredCall, format: RunFormat): { root?: ReplyRoot } {
  if (root !== undefined) return { root };
  return format === 'webrowset' ? { root: RESULT_ROOT } : {};
}

/** The header of a result that a row limit has truncated (field notes 1). */
export function truncation({ truncated }: { readonly truncated: boolean }): Readonly<Record<string, string>> {
  return truncated ? { 'Rows-Truncated': 'true' } : {};
}

/** The address of a file with the result of a run. */
export function fileUrl(base: string, id: string, name: string): string {
  return `${base}/RESTListeningConnector/QueryFile.v1/${id}/${name}`;
}
