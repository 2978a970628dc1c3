import { hasXmlBody, type Operation, type OperationUri } from '../model/service.ts';

/** Media type of a request's body: JSON for a document's fields, by its kind for a body that is one field or a raw message. */
export function requestMediaType(operation: Operation, uri: OperationUri): string {
  if (operation.body !== 'raw') return 'application/json';
  const [field] = uri.body;
  const kind = operation.request.kind === 'raw' ? operation.request.raw : field?.type.kind;
  if (kind === 'json' || kind === 'document' || kind === 'list') return 'application/json';
  if (kind === 'xml') return 'application/xml';
  return kind === 'binary' ? 'application/octet-stream' : 'text/plain';
}

/** All media types of a request's body, {@link requestMediaType} first. */
export function requestMediaTypes(operation: Operation, uri: OperationUri): readonly string[] {
  const { body, request } = operation;
  const isXml = body === 'document' && request.kind === 'document' && hasXmlBody(request.document);
  return [requestMediaType(operation, uri), ...(isXml ? ['application/xml'] : [])];
}
