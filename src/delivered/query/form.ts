import { serviceNamespace } from '../../model/namespace.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation } from '../../model/service.ts';

/** The form that `json_resp` asks for; undefined where it does not, and Accept decides. */
export function formByJsonResp(given: (name: string) => string | undefined): 'json' | 'xml' | undefined {
  const asked = given('json_resp')?.toLowerCase();
  if (asked === 'true' || asked === '1') return 'json';
  return asked === 'false' || asked === '0' ? 'xml' : undefined;
}

/** The element of an operation's reply over SOAP, for a result that is rendered as that. */
export function replyRoot({ service, soap }: Operation, { gateway }: Registry): { name: string; namespace: string } {
  return { name: `${soap?.name}Response`, namespace: serviceNamespace(service, gateway.namespace) };
}

/** What says that a row cap cut a result (field notes 1). */
export function truncation({ truncated }: { readonly truncated: boolean }): Readonly<Record<string, string>> {
  return truncated ? { 'Rows-Truncated': 'true' } : {};
}

/** The address of a file that a run has left. */
export function fileUrl(base: string, id: string, name: string): string {
  return `${base}/RESTListeningConnector/QueryFile.v1/${id}/${name}`;
}
