import { CodecError, readJsonText } from '../../codec/index.ts';
import { exact, type Html, html, markup, NOTHING } from '../../console/html.ts';
import { address, facts, field, form, hidden, notice } from '../../console/parts.ts';
import { type Done, page, type Reply, type Visit } from '../../console/route.ts';
import { Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import type { JsonValue } from '../../model/value.ts';
import type { MessageDetails } from '../run/index.ts';
import { headingOf, idOf, messageTabs } from './detail.ts';
import { messagePath } from './words.ts';

type Members = Readonly<Record<string, JsonValue>>;

/** A field of the request with its text. */
interface EditedField {
  readonly name: string;
  readonly label: string;
  readonly text: string;
}

/** What is edited, and how it came from the form. */
interface Editing {
  readonly message: MessageDetails;
  /** The payload as it is shown. */
  readonly request: JsonValue;
  /** Its fields; empty for one that is not a document. */
  readonly fields: readonly EditedField[];
  readonly byFields: boolean;
  /** The delivery that alone is replaced. */
  readonly delivery: string | undefined;
}

/** The form that edits a message. @throws Fault FORBIDDEN without the grant for payloads */
export async function edit(visit: Visit): Promise<Reply> {
  const editing = await read(visit, visit.query);
  const texts = new Map(editing.fields.map(({ name, text }) => [name, text]));
  return editPage(visit, editing, { json: indented(editing.request), texts });
}

/** Publishes the edited copy; what is wrong is shown next to what was written. */
export async function sendEdited(visit: Visit): Promise<Done | Reply> {
  const editing = await read(visit, visit.form);
  const { message, fields, byFields, delivery } = editing;
  const texts = new Map(fields.map(({ name }) => [name, lf(visit.form.get(`value.${name}`) ?? '')]));
  const json = lf(visit.form.get('json') ?? '');
  try {
    const changed = new Map(
      fields.flatMap(({ name, text }) => (texts.get(name) === text ? [] : [[name, texts.get(name) ?? ''] as const])),
    );
    if (byFields && changed.size === 0) throw Fault.of('BAD_REQUEST', { reason: 'no field was changed' });
    const edited = byFields ? changed : readJsonText(json);
    const copy = await visit.ports.messages.edit(delivery ?? message.id, edited, visit.actor);
    const replaced = copy.replaced.map(({ subscription, was }) => `that to ${subscription}, which was ${was}`);
    return {
      ...{ to: messagePath(copy.message), target: `${message.id} ${copy.message}` },
      notice: `This edited copy is published to ${copy.subscriptions.join(', ')}${replaced.length === 0 ? '' : ` in place of ${replaced.join(' and ')}`}.`,
    };
  } catch (error) {
    if (error instanceof CodecError)
      return editPage(visit, editing, { json, texts, wrong: `The payload ${error.reason}.` });
    if (!(error instanceof Fault) || error.status >= 500) throw error;
    return editPage(visit, editing, { json, texts, wrong: error.message, errors: error.errors });
  }
}

async function read(visit: Visit, from: URLSearchParams): Promise<Editing> {
  if (!visit.may('payload')) throw Fault.of('FORBIDDEN', { user: visit.user.id, what: 'payloads of messages' });
  const { messages, registry } = visit.ports;
  const message = await messages.get(idOf(visit));
  const request = (await messages.payload(message.id)).parts.request;
  if (message.queue === undefined || request === undefined)
    throw Fault.of('CONFLICT', {
      what: `Message ${message.id}`,
      reason:
        message.queue === undefined
          ? 'is the record of a call, which only its caller can repeat'
          : 'has no payload any more',
    });
  const defined = registry.operations.get(message.operation)?.request;
  const fields =
    defined?.kind === 'document' && defined.document.choice === undefined ? fieldsOf(defined.document, request) : [];
  const byFields = fields.length > 0 && from.get('as') !== 'json';
  return { message, request, fields, byFields, delivery: from.get('delivery') ?? undefined };
}

function fieldsOf(
  { id, root, fields }: { readonly id: string; readonly root: boolean; readonly fields: readonly Field[] },
  request: JsonValue,
): readonly EditedField[] {
  if (!isRecord(request)) return [];
  const inside = root && Object.keys(request).length === 1 ? request[id] : undefined;
  const members = isRecord(inside) ? inside : request;
  return fields.map(({ name, jsonName, required }) => ({
    ...{ name, label: required ? `${jsonName} (required)` : jsonName },
    text: textOf(members[jsonName]),
  }));
}

const isRecord = (value: JsonValue | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? indented(value) : String(value);
}

const indented = (value: JsonValue): string => JSON.stringify(value, undefined, 2);

/** Forms send the ends of lines as two characters. */
const lf = (text: string): string => text.replaceAll('\r\n', '\n');

interface Written {
  readonly json: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly wrong?: string;
  readonly errors?: Fault['errors'];
}

function editPage(visit: Visit, editing: Editing, { json, texts, wrong, errors = [] }: Written): Reply {
  const { message, fields, byFields, delivery } = editing;
  const path = `${messagePath(message.id)}/edit`;
  const open = message.subscribers.filter(({ id, status }) =>
    delivery === undefined ? ['Error', 'Timeout', 'Hold'].includes(status) : id === delivery,
  );
  const views =
    fields.length === 0
      ? NOTHING
      : html`<p class="result">${[['fields', 'By fields'] as const, ['json', 'As JSON'] as const].map(([as, text]) =>
          (as === 'fields') === byFields
            ? html`<strong>${text}</strong> `
            : html`<a href="${address(path, { as, delivery })}">${text}</a> `,
        )}</p>`;
  const wrongOf = (name: string) =>
    errors
      .filter((each) => pointsTo(each, name))
      .map(({ detail }) => detail)
      .join(' ');
  const controls = byFields
    ? html`${fields.map(({ name, label }) => fieldOf(name, label, texts.get(name) ?? '', wrongOf(name)))}`
    : field(
        'Payload in JSON',
        'json',
        html`<textarea id="json" name="json" rows="${Math.min(40, Math.max(12, json.split('\n').length + 1))}" spellcheck="false"${wrong === undefined ? NOTHING : markup(' aria-invalid="true" aria-describedby="json-hint"')}>
${exact(json)}</textarea>`,
        wrong === undefined ? NOTHING : html`<span class="bad">${wrong}</span>`,
      );
  return page(
    `Edit ${message.id}`,
    html`${headingOf(visit, message)}
${messageTabs(visit, message, '/edit')}
${wrong === undefined ? NOTHING : notice('bad', html`Nothing was published. ${wrong}`)}
${facts([
  [
    'In place of',
    open.length === 0
      ? 'No delivery of it failed or is held: only subscriptions that it was not for get the copy.'
      : html`${open.map(({ subscription, status }) => html`<div>${subscription}, which is ${status}</div>`)}`,
  ],
  ['Delivery', delivery],
])}
${views}
${form(
  visit,
  path,
  html`${hidden({ as: byFields ? 'fields' : 'json', delivery })}${controls}
<p class="hint">A copy is published with this content; the original is not changed. Masked values (***) and attachments keep what they are. The content is checked as a request is.</p>
<button class="primary">Publish the copy</button> <a class="button" href="${address(messagePath(message.id))}">Cancel</a>`,
  byFields ? 'form' : 'form broad',
)}`,
    wrong === undefined ? {} : { status: 400 },
  );
}

/** Whether an error is about a field: by its name, or by the first step of its pointer into the body. */
const pointsTo = (error: Fault['errors'][number], name: string): boolean =>
  `${('pointer' in error && error.pointer) || ''}/`.includes(`/${name}/`) ||
  ('parameter' in error && error.parameter === name);

function fieldOf(name: string, label: string, text: string, wrong: string): Html {
  const id = `value.${name}`;
  const marks = wrong === '' ? NOTHING : html` aria-invalid="true" aria-describedby="${id}-hint"`;
  const control =
    text.includes('\n') || text.length > 120
      ? html`<textarea id="${id}" name="${id}" spellcheck="false"${marks}>
${exact(text)}</textarea>`
      : html`<input id="${id}" name="${id}" type="text" autocomplete="off" value="${exact(text)}"${marks}>`;
  return field(label, id, control, wrong === '' ? undefined : html`<span class="bad">${wrong}</span>`);
}
