import type {
  DraftContract,
  DraftDocument,
  DraftField,
  DraftMessage,
  DraftOperation,
  DraftType,
} from '../../../src/import/draft.ts';
import { readOpenApi } from '../../../src/import/openapi/read-openapi.ts';
import { OPENAPI_LANGUAGE } from '../../../src/import/openapi/sources.ts';
import { ImportError, Losses, placeWords, refuseInvalid } from '../../../src/import/place.ts';
import { gather } from '../../../src/import/source.ts';

/** Reads a contract from texts by their locations, of which `api.yaml` is the contract. */
export async function readTexts(
  files: Readonly<Record<string, string>>,
  losses = new Losses(),
  root = 'api.yaml',
  tolerant = false,
): Promise<DraftContract> {
  const read = async (location: string) => {
    const text = files[location];
    return text === undefined ? { missing: 'does not exist' } : { bytes: new TextEncoder().encode(text) };
  };
  const contract = readOpenApi(root, await gather([root], OPENAPI_LANGUAGE, read, losses), losses);
  if (!tolerant) refuseInvalid(losses.all());
  return contract;
}

/** A contract as a person would note it down, with its losses; or its error. */
export async function summaryOf(files: Readonly<Record<string, string>>): Promise<string> {
  const losses = new Losses();
  try {
    const contract = await readTexts(files, losses);
    const lost = losses.all().map(({ place, what, instead }) => `${placeWords(place)}: ${what}: ${instead}`);
    return [...contractLines(contract), ...lost].join('\n');
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return [`error ${error.message}`, ...(error.hint === undefined ? [] : [`  ${error.hint}`])].join('\n');
  }
}

function contractLines({ services, documents }: DraftContract): string[] {
  const lines: string[] = [];
  for (const { name, version, addresses, security, operations } of services) {
    lines.push(`service ${name} ${version}${addresses.map((each) => ` ${each}`).join('')}${words(security)}`);
    for (const operation of operations) lines.push(...operationLines(operation));
  }
  return [...lines, ...documents.flatMap((document) => documentLines(document, ''))];
}

function operationLines(operation: DraftOperation): string[] {
  const { name, rest, request, responses, status, faults, security, description } = operation;
  const { method, uris, headers, body, form, mediaType, template } = rest as NonNullable<typeof rest>;
  const parts = {
    headers: Object.keys(headers).length === 0 ? undefined : headers,
    body,
    form,
    mediaType,
    status: status === 200 ? undefined : status,
  };
  const replies = responses.map((each) => `${each.mediaType ?? ''} ${messageWords(each.message)}`.trim());
  return [
    `  ${name}: ${method} ${uris.join(' ')}${words(parts)}${words(security)}`,
    ...(description === undefined ? [] : [`    # ${description.replaceAll('\n', ' | ')}`]),
    `    request ${messageWords(request)}${inPlace(request)}`,
    ...(template === undefined ? [] : [`    template ${fieldsInPlace(template)}`]),
    ...replies.map((each, index) => `    reply ${each}${inPlace(responses[index]?.message)}`),
    ...faults.map((fault) => `    fault ${fault.name} ${fault.document.name}`),
  ];
}

function messageWords(message: DraftMessage): string {
  if (message.kind === 'document') return message.document.name;
  if (message.kind === 'type') return typeWords(message.type);
  return message.kind === 'raw' ? message.raw : 'none';
}

/** The fields of a document that only one message has. */
function inPlace(message: DraftMessage | undefined): string {
  return message?.kind === 'document' && /_request$/.test(message.document.name)
    ? ` ${fieldsInPlace(message.document)}`
    : '';
}

function fieldsInPlace({ fields }: DraftDocument): string {
  return `{ ${fields.map(fieldWords).join(', ')} }`;
}

function documentLines(
  { name, named, fields, options, choice, description, ...rest }: DraftDocument,
  indent: string,
): string[] {
  const head = [choice ? 'choice' : 'document', named ? name : `(${name})`];
  if (rest.extends !== undefined) head.push('extends', rest.extends.name);
  if (rest.tag !== undefined) head.push('tag', rest.tag);
  return [
    `${indent}${head.join(' ')}${words(options)}`,
    ...(description === undefined ? [] : [`${indent}  # ${description.replaceAll('\n', ' | ')}`]),
    ...fields.map((field) => `${indent}  ${fieldWords(field)}`),
  ];
}

function fieldWords({ name, type, options }: DraftField): string {
  return `${name}: ${typeWords(type)}${words(options)}`;
}

function typeWords(type: DraftType): string {
  if (type.kind === 'scalar') return type.word;
  return type.kind === 'document' ? type.document.name : `${type.kind} of ${typeWords(type.item)}`;
}

function words(options: object | undefined): string {
  const text = JSON.stringify(options);
  return text === undefined || text === '{}' ? '' : ` ${text}`;
}
