import { type Html, html, NOTHING } from '../../console/html.ts';
import { address, code, field, number, section, select } from '../../console/parts.ts';
import { page, type Reply, type Visit } from '../../console/route.ts';
import { Fault } from '../../model/fault.ts';
import type { JsonValue } from '../../model/value.ts';
import { headingOf, idOf, messageTabs } from './detail.ts';
import { type DiffLine, diffLines } from './diff.ts';
import { messagePath } from './words.ts';

type Parts = Readonly<Record<string, JsonValue>>;

/** Characters of a part that a page shows. */
const MOST_SHOWN = 256 * 1024;
/** Lines around a change. */
const AROUND = 3;

/** `/messages/:id/payload`: parts side by side, or what differs between two. */
export async function payload(visit: Visit): Promise<Reply> {
  const { messages } = visit.ports;
  const message = await messages.get(idOf(visit));
  const head = html`${headingOf(visit, message)}
${messageTabs(visit, message, '/payload')}`;
  const parts = await partsOf(visit);
  const names = Object.keys(parts);
  const [first] = names;
  if (first === undefined)
    return page(
      `Payload of ${message.id}`,
      html`${head}<p class="empty">The payload is not kept: its time is past, or the routing of its operation does not record it.</p>`,
    );
  const named = (parameter: string): string | undefined => names.find((name) => name === visit.query.get(parameter));
  const left = named('left') ?? names.find((name) => name === 'request') ?? first;
  const right = visit.query.has('left')
    ? named('right')
    : names.find((name) => name.startsWith('sent.') && name !== left);
  const isRaw = visit.query.get('as') === 'raw';
  const view = visit.query.get('view');
  const chosen = [left, ...(right === undefined || right === left ? [] : [right])];
  const one = (name: string): Html => shownPart(visit, name, textOf(parts[name] as JsonValue, isRaw));
  const body =
    view === 'diff' && right !== undefined
      ? difference([left, textOf(parts[left] as JsonValue, false)], [right, textOf(parts[right] as JsonValue, false)])
      : html`<div class="columns">${chosen.map(one)}</div>`;
  return page(
    `Payload of ${message.id}`,
    html`${head}
${choices(message.id, { names, left, right, view, isRaw })}
<p class="hint">Values that are sensitive, by the definitions of today, are masked.${names.some((name) => name.startsWith('sent.')) ? ' “sent” is what the call of a subscription is given, as “map:” of the definitions of today fills it.' : ''}</p>
${body}`,
  );
}

/** None when they are not kept. */
async function partsOf(visit: Visit): Promise<Parts> {
  try {
    return (await visit.ports.messages.payload(idOf(visit))).parts;
  } catch (error) {
    if (error instanceof Fault && error.code === 'NOT_FOUND') return {};
    throw error;
  }
}

/** A part as text: JSON with indents, or as short as it is. A text is itself. */
function textOf(value: JsonValue, isRaw: boolean): string {
  if (typeof value === 'string') return value;
  return isRaw ? JSON.stringify(value) : JSON.stringify(value, undefined, 2);
}

interface Chosen {
  readonly names: readonly string[];
  readonly left: string;
  readonly right: string | undefined;
  readonly view: string | null;
  readonly isRaw: boolean;
}

function choices(id: string, { names, left, right, view, isRaw }: Chosen): Html {
  const all = names.map((name) => [name, name] as const);
  return html`<form class="filters" method="get" action="${address(`${messagePath(id)}/payload`)}" aria-label="What is shown">
${field('Part', 'left', select('left', all, left))}
${
  names.length < 2
    ? NOTHING
    : html`${field('Next to', 'right', select('right', [['', 'nothing'], ...all], right))}
${field(
  'View',
  'view',
  select(
    'view',
    [
      ['both', 'side by side'],
      ['diff', 'differences'],
    ],
    view,
  ),
)}`
}
${field(
  'Form',
  'as',
  select(
    'as',
    [
      ['pretty', 'indented'],
      ['raw', 'as it is kept'],
    ],
    isRaw ? 'raw' : 'pretty',
  ),
)}
<button class="plain">Show</button></form>`;
}

function shownPart(visit: Visit, name: string, text: string): Html {
  const path = `${messagePath(idOf(visit))}/payload/${encodeURIComponent(name)}`;
  const isCut = text.length > MOST_SHOWN;
  return section(
    name,
    html`<p class="result"><span>${number(Buffer.byteLength(text))} bytes</span><a href="${address(path)}">Download</a></p>
${isCut ? html`<p class="hint">The first 256 KiB are shown; the download has all of it.</p>` : NOTHING}
${code(isCut ? text.slice(0, MOST_SHOWN) : text, name)}`,
  );
}

function difference([leftName, left]: readonly [string, string], [rightName, right]: readonly [string, string]): Html {
  const found = left.length > MOST_SHOWN || right.length > MOST_SHOWN ? undefined : diffLines(left, right);
  const title = `From ${leftName} to ${rightName}`;
  if (found === undefined)
    return section(title, html`<p class="empty">They differ in too much to be compared here. Download both.</p>`);
  if (found.every(({ kind }) => kind === 'same'))
    return section(title, html`<p class="empty">Both have the same lines.</p>`);
  return section(
    title,
    html`<pre class="code diff" tabindex="0" role="region" aria-label="${title}">${rowsOf(found)}</pre>`,
  );
}

const MARKS = { same: ' ', removed: '−', added: '+' } as const;
const SPOKEN = { same: '', removed: 'removed: ', added: 'added: ' } as const;

/** The lines that differ, with some around them. */
function rowsOf(all: readonly DiffLine[]): readonly Html[] {
  const near = new Set<number>();
  for (const [index, { kind }] of all.entries())
    if (kind !== 'same') for (let n = index - AROUND; n <= index + AROUND; n++) near.add(n);
  return all.flatMap(({ kind, text }, index) => {
    if (!near.has(index))
      return index === 0 || near.has(index - 1)
        ? [
            html`<span class="faint">  …
</span>`,
          ]
        : [];
    return [
      html`<span class="${kind}"><span aria-hidden="true">${MARKS[kind]} </span><span class="hidden">${SPOKEN[kind]}</span>${text}
</span>`,
    ];
  });
}

/** `/messages/:id/payload/:part`: the file. */
export async function download(visit: Visit): Promise<Reply> {
  const name = visit.params.part as string;
  const parts = await partsOf(visit);
  if (!Object.hasOwn(parts, name)) throw Fault.of('NOT_FOUND', { what: `part ${name} of message ${idOf(visit)}` });
  const value = parts[name] as JsonValue;
  const isText = typeof value === 'string';
  return {
    kind: 'download',
    name: `${idOf(visit)}.${name}.${isText ? 'txt' : 'json'}`,
    contentType: isText ? 'text/plain; charset=utf-8' : 'application/json',
    content: textOf(value, false),
  };
}
