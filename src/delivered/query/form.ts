import { serviceNamespace } from '../../model/namespace.ts';
import type { Registry } from '../../model/registry.ts';
import type { RootElement } from '../../query/index.ts';
import type { DeliveredCall, ReplyForm } from '../port.ts';

/** The form that `json_resp` asks for; undefined where it does not, and Accept decides. */
export function formByJsonResp(given: (name: string) => string | undefined): 'json' | 'xml' | undefined {
  const asked = given('json_resp')?.toLowerCase();
  if (asked === 'true' || asked === '1') return 'json';
  return asked === 'false' || asked === '0' ? 'xml' : undefined;
}

/** The element round a result that is rendered as an operation's reply over SOAP; none in any other form. */
export function rootOf({ operation }: DeliveredCall, { gateway }: Registry, as: ReplyForm): { root?: RootElement } {
  if (as !== 'soap') return {};
  const { service, soap } = operation;
  return { root: { name: `${soap?.name}Response`, namespace: serviceNamespace(service, gateway.namespace) } };
}

/** What says that a row cap cut a result (field notes 1). */
export function truncation({ truncated }: { readonly truncated: boolean }): Readonly<Record<string, string>> {
  return truncated ? { 'Rows-Truncated': 'true' } : {};
}

/** The address of a file that a run has left. */
export function fileUrl(base: string, id: string, name: string): string {
  return `${base}/RESTListeningConnector/QueryFile.v1/${id}/${name}`;
}
