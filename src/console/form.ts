import { Fault } from '../model/fault.ts';
import type { ConsoleRequest } from './port.ts';

/** The fields and files of a form. */
export interface EnteredForm {
  readonly fields: URLSearchParams;
  readonly files: ReadonlyMap<string, File>;
}

/** Reads a form that a browser has sent. @throws Fault UNSUPPORTED_MEDIA_TYPE, BAD_BODY, BODY_TOO_LARGE */
export async function readForm({ header, body }: Pick<ConsoleRequest, 'header' | 'body'>): Promise<EnteredForm> {
  const contentType = header('content-type') ?? '';
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded')
    return { fields: new URLSearchParams(new TextDecoder().decode(await body())), files: new Map() };
  if (type !== 'multipart/form-data')
    throw Fault.of('UNSUPPORTED_MEDIA_TYPE', { given: `type ${contentType}`, supported: 'forms' });
  const content = (await body()) as Uint8Array<ArrayBuffer>;
  const fields = new URLSearchParams();
  const files = new Map<string, File>();
  const data = await new Response(content, { headers: { 'Content-Type': contentType } }).formData().catch(() => {
    throw Fault.of('BAD_BODY', { reason: 'it is not a valid form' });
  });
  for (const [name, value] of data)
    if (typeof value === 'string') fields.append(name, value);
    else if (value.name !== '' || value.size > 0) files.set(name, value);
  return { fields, files };
}
