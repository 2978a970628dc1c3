import type { JsonNode, JsonObject } from './node.ts';

/** The answer of a third party that failed (specification 2.5). */
export interface FailureResponse {
  readonly status: 'failure';
  readonly error: { readonly message: string; readonly detail: string };
}

/** The answer to an import: what became of each row (specification 2.5). */
export interface ImportResponse {
  readonly import_set: string;
  readonly staging_table: string;
  readonly result: readonly { readonly status: string; readonly error_message: string }[];
}

/** A failure response; undefined where the answer is another one. @throws CodecError where it is one, and not whole */
export function readFailureResponse(root: JsonNode): FailureResponse | undefined {
  if (root.kind !== 'object') return undefined;
  const status = root.get('status');
  if (status?.kind !== 'scalar' || status.text !== 'failure') return undefined;
  const error = root.object('error');
  return { status: 'failure', error: { message: error.text('message'), detail: textOr(error, 'detail') } };
}

/** An import response; undefined where the answer is another one. @throws CodecError where it is one, and not whole */
export function readImportResponse(root: JsonNode): ImportResponse | undefined {
  if (root.kind !== 'object' || root.get('import_set') === undefined) return undefined;
  const result = root.array('result').entries.map((entry) => {
    const row = entry.asObject();
    return { status: row.text('status'), error_message: textOr(row, 'error_message') };
  });
  return { import_set: root.text('import_set'), staging_table: root.text('staging_table'), result };
}

/** Rows without an error say nothing of it, or null. */
function textOr(object: JsonObject, name: string): string {
  const found = object.get(name)?.asScalar();
  return found === undefined || found.type === 'null' ? '' : found.text;
}
