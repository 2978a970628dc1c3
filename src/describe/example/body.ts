import type { Operation, OperationUri } from '../../model/service.ts';
import type { Json } from '../json.ts';
import { fieldJson, membersJson } from './text.ts';
import { exampleDocument, exampleField, tellingFields } from './value.ts';

/**
 * An example of a body, as JSON: of the one field that it is, unless that is bytes; else of the fields that are required
 * or have an example, or of all of them where none is.
 */
export function bodyExample(operation: Operation, { body }: OperationUri): Json | undefined {
  const { request } = operation;
  if (request.kind !== 'document') return undefined;
  if (operation.body === 'raw') {
    const [field] = body;
    const value = field === undefined || field.type.kind === 'binary' ? undefined : exampleField(field);
    return field === undefined || value === undefined ? undefined : fieldJson(field, value);
  }
  const fields = tellingFields(body);
  const value = exampleDocument({ fields });
  if (value === undefined) return undefined;
  const members = membersJson(fields, value);
  return request.document.root ? { [request.document.id]: members } : members;
}
