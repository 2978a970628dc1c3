import { Fault } from '../model/fault.ts';
import { readContentType, sendableContentType } from '../wire/content-type.ts';
import { FORM_MEDIA_TYPE } from '../wire/form-values.ts';
import { parseForm } from '../wire/query-string.ts';
import type { ConsoleRequest } from './console-request.ts';

/** The fields and files of a form. */
export interface EnteredForm {
  readonly fields: URLSearchParams;
  readonly files: ReadonlyMap<string, File>;
}

/** Maximum number of fields in a form of someone who is signed in. */
const FIELDS = 20_000;

/** Maximum bytes and fields of a form of someone who is not signed in. */
const UNSIGNED = { bytes: 16 * 1024, fields: 20 } as const;

/** Reads a submitted form. @throws Fault UNSUPPORTED_MEDIA_TYPE, BAD_BODY, BODY_TOO_LARGE */
export async function readForm({ header, body }: Pick<ConsoleRequest, 'header' | 'body'>): Promise<EnteredForm> {
  const type = typeOf(header);
  if (type === FORM_MEDIA_TYPE) return { fields: fieldsOf(await body(), FIELDS), files: new Map() };
  if (type !== 'multipart/form-data') throw unsupported(header);
  const content = (await body()) as Uint8Array<ArrayBuffer>;
  const fields = new URLSearchParams();
  const files = new Map<string, File>();
  const headers = { 'Content-Type': sendableContentType(header('content-type') ?? '') ?? '' };
  const data = await new Response(content, { headers }).formData().catch(() => {
    throw Fault.of('BAD_BODY', { reason: 'it is not a valid form' });
  });
  for (const [name, value] of data)
    if (typeof value === 'string') fields.append(name, value);
    else if (value.name !== '' || value.size > 0) files.set(name, value);
  return { fields, files };
}

/**
 * Reads a form of someone who is not signed in, such as the form for signing in.
 * @throws Fault UNSUPPORTED_MEDIA_TYPE, BAD_BODY, BODY_TOO_LARGE
 */
export async function readUnsignedForm({
  header,
  body,
}: Pick<ConsoleRequest, 'header' | 'body'>): Promise<URLSearchParams> {
  if (typeOf(header) !== FORM_MEDIA_TYPE) throw unsupported(header);
  return fieldsOf(await body(UNSIGNED.bytes), UNSIGNED.fields);
}

function typeOf(header: ConsoleRequest['header']): string | undefined {
  return readContentType(header('content-type') ?? '')?.essence;
}

function unsupported(header: ConsoleRequest['header']): Fault {
  return Fault.of('UNSUPPORTED_MEDIA_TYPE', { given: `type ${header('content-type') ?? ''}`, supported: 'forms' });
}

function fieldsOf(body: Uint8Array, limit: number): URLSearchParams {
  const fields = parseForm(new TextDecoder().decode(body), limit);
  if (fields === undefined) throw Fault.of('BAD_BODY', { reason: `it has more than ${limit} fields` });
  return fields;
}
