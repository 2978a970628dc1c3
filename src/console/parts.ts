import type { Tone, View, ViewColumn } from '../operator/view.ts';
import { roughly } from '../wire/duration.ts';
import { exact, type Html, html, NOTHING, type Part } from './html.ts';
import type { Visit } from './route.ts';

// The components of all pages. Their looks, and the rules of the design, are in browser/console.css.

/** A sign for each tone, because a state must not be shown by its colour alone. */
const SIGNS: Readonly<Record<Tone, string>> = { good: '●', busy: '◐', warn: '▲', bad: '■', idle: '○' };

/** A state as a word with its tone. */
export const badge = (tone: Tone, text: string): Html =>
  html`<span class="badge ${tone}"><span aria-hidden="true">${SIGNS[tone]}</span> ${text}</span>`;

/** A moment: the script shows it in the time zone of the reader, and exactly on hover. @param at ISO 8601, UTC */
export const time = (at: string | undefined): Html =>
  at === undefined
    ? html`<span class="none">–</span>`
    : html`<time datetime="${at}" title="${at}">${at.replace('T', ' ').replace(/\.\d+Z$/, 'Z')}</time>`;

/** Visible characters of a long id, at its beginning and at its end. */
const SEEN = [8, 6] as const;

/**
 * An id whose middle is hidden but present: it is shown on hover, copied, and read by screen readers. The ids of messages begin
 * with their time, so that the beginning alone is the same for all messages of a minute.
 */
export function shortId(id: string): Html {
  const [first, last] = SEEN;
  if (id.length <= first + last + 2) return html`<code>${id}</code>`;
  return html`<code class="id" title="${id}">${id.slice(0, first)}<span>${id.slice(first, -last)}</span>${id.slice(-last)}</code>`;
}

/** A path relative to the console, with the parameters that have a value. */
export function address(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') given.set(name, `${value}`);
  const text = given.toString();
  return `/console${path}${text === '' ? '' : `?${text}`}`;
}

/** A path of the console from segments, which may contain any characters. */
export const pathTo = (...segments: readonly string[]): string =>
  `/${segments.map((each) => encodeURIComponent(each)).join('/')}`;

/** @param to relative to the console: `/messages` */
export const link = (to: string, text: Part, query?: Parameters<typeof address>[1]): Html =>
  html`<a href="${address(to, query)}">${text}</a>`;

/** The head of a page: its title, its subject, and its actions. */
export const heading = (title: Part, { about, actions }: { about?: Part; actions?: Part } = {}): Html =>
  html`<header class="heading"><div><h1>${title}</h1>${about === undefined ? NOTHING : html`<p class="about">${about}</p>`}</div>${
    actions === undefined ? NOTHING : html`<div class="actions">${actions}</div>`
  }</header>`;

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => Part;
  /** Columns of numbers are aligned to the right, with digits of equal width. */
  readonly kind?: 'number' | 'code' | 'wide';
}

/**
 * The columns of a view.
 * @param cells the content of cells that show more than the value: a link, a badge
 */
export function columnsOf<T, V extends View<T>>(
  view: V & View<T>,
  cells: { readonly [Name in keyof V]?: (row: T) => Part } = {},
): readonly Column<T>[] {
  return Object.entries(view as View<T>).map(([name, { title, value, kind }]) => ({
    title,
    ...(kind === undefined || SHOWN[kind].kind === undefined ? {} : { kind: SHOWN[kind].kind }),
    cell: cells[name] ?? ((row) => shownAs(kind, value(row))),
  }));
}

/** How values of each kind are shown, and the kind of their columns. */
const SHOWN: Readonly<
  Record<
    NonNullable<ViewColumn<unknown>['kind']>,
    { kind?: Column<unknown>['kind']; show(value: string | number): Part }
  >
> = {
  count: { kind: 'number', show: (value) => number(Number(value)) },
  // Something that has not ended has a word instead of a time.
  moment: { show: (value) => (/^\d{4}-/.test(String(value)) ? time(String(value)) : String(value)) },
  seconds: { kind: 'number', show: (value) => roughly(1000 * Number(value)) },
  id: { kind: 'code', show: (value) => shortId(String(value)) },
  words: { kind: 'wide', show: String },
  prose: { kind: 'wide', show: String },
};

function shownAs(kind: ViewColumn<unknown>['kind'], value: string | number | undefined): Part {
  if (value === undefined) return kind === 'moment' ? time(undefined) : '';
  return kind === undefined ? String(value) : SHOWN[kind].show(value);
}

/** Tables with at most this many columns keep their rows on a phone; in wider ones, the cells of a row are stacked. */
const MOST_ON_PHONE = 3;

/**
 * A table.
 * @param of what the rows are, for screen readers
 * @param empty what to do when it has no rows
 */
export function table<T>(
  of: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
  { empty, key }: { empty: Part; key?: (row: T) => string },
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const classOf = ({ kind }: Column<T>): string => (kind === 'code' ? 'mono' : (kind ?? 'text'));
  const prose = columns.filter(({ kind }) => kind === 'wide').length;
  const shape = [
    ...(prose === 0 ? ['compact'] : []),
    ...(prose > 1 || columns.length > MOST_ON_PHONE ? ['stacks'] : []),
  ];
  return html`<div class="scroll" role="region" aria-label="${of}" tabindex="0"><table class="${shape.join(' ')}"><caption class="hidden">${of}</caption>
<thead><tr>${columns.map((each) => html`<th scope="col" class="${classOf(each)}">${each.title}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr${key === undefined ? NOTHING : html` id="${key(row)}"`}>${columns.map(
        (each) => html`<td class="${classOf(each)}" data-label="${each.title}">${each.cell(row)}</td>`,
      )}</tr>
`,
  )}</tbody></table></div>`;
}

/** Names with their values. Those without a value are left out. */
export const facts = (all: readonly (readonly [name: string, value: Part])[]): Html =>
  html`<dl class="facts">${all
    .filter(([, value]) => value !== undefined && value !== false && value !== null && value !== '')
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/**
 * The facts of a view about one thing.
 * @param cells the content of facts that show more than the value; `undefined` leaves a fact out
 */
export function factsFrom<T, V extends View<T>>(
  view: V & View<T>,
  thing: T,
  cells: { readonly [Name in keyof V]?: (of: T) => Part } = {},
): (readonly [name: string, value: Part])[] {
  return Object.entries(view as View<T>).map(([name, { title, value, kind }]) => {
    const found = value(thing);
    return [title, cells[name] === undefined ? found && shownAs(kind, found) : cells[name](thing)];
  });
}

/** A part of a page with its own heading. */
export const section = (title: string, body: Part, id?: string): Html =>
  html`<section${id === undefined ? NOTHING : html` id="${id}"`}><h2>${title}</h2>
${body}</section>`;

/**
 * Links to views of the same thing.
 * @param current the path of the view that is shown
 * @param isBelow whether the page is a part of that view, not the view itself
 */
export const tabs = (
  of: string,
  all: readonly (readonly [to: string, text: Part])[],
  current: string,
  { isBelow = false } = {},
): Html =>
  html`<nav class="tabs" aria-label="${of}">${all.map(([to, text]) =>
    to === current
      ? html`<a href="${address(to)}" aria-current="${isBelow ? 'true' : 'page'}">${text}</a>`
      : html`<a href="${address(to)}">${text}</a>`,
  )}</nav>`;

export const notice = (tone: Tone, text: Part): Html =>
  html`<p class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}"><span aria-hidden="true">${SIGNS[tone]}</span> ${text}</p>`;

/** Unchanged text in a monospaced font. */
export const code = (text: string, label: string): Html =>
  html`<pre class="code" tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`;

/**
 * Lines of a file with their numbers. Each can be linked to: `#L12`.
 * @param from the number of the first line
 */
export function lines(text: string, label: string, from = 1): Html {
  const all = text.split('\n');
  return html`<pre class="code lines" tabindex="0" role="region" aria-label="${label}">${all.map(
    (line, index) => html`<span class="line" id="L${from + index}"><span class="at">${from + index}</span><code>${line}
</code></span>`,
  )}</pre>`;
}

/** A link to the next part of a list, if there is more. */
export const more = (to: string | undefined, text = 'Older'): Html =>
  to === undefined ? NOTHING : html`<nav class="pager" aria-label="Pages"><a href="${to}">${text} →</a></nav>`;

/** A form with an action. It contains the token of the session. */
export const form = (visit: Pick<Visit, 'token'>, to: string, body: Part, kind = 'inline'): Html =>
  html`<form method="post" action="${address(to)}" class="${kind}"><input type="hidden" name="token" value="${visit.token}">${body}</form>`;

/** Fields that a form sends back unchanged. */
export const hidden = (fields: Readonly<Record<string, string | undefined>>): Html =>
  html`${Object.entries(fields).map(([name, value]) =>
    value === undefined ? NOTHING : html`<input type="hidden" name="${name}" value="${exact(value)}">`,
  )}`;

interface Button {
  readonly text: string;
  /** Relative to the console. */
  readonly to: string;
  readonly fields?: Readonly<Record<string, string | undefined>>;
  /** What will happen, in a sentence that asks for consent. Without it the action runs at once. */
  readonly ask?: Part;
  /** Further fields to fill in before the action. */
  readonly more?: Part;
  readonly isDangerous?: boolean;
}

/** A button with an action, after a question if it has one. It works without a script. */
export function button(visit: Pick<Visit, 'token'>, { text, to, fields = {}, ask, more, isDangerous }: Button): Html {
  const look = isDangerous === true ? 'danger' : 'plain';
  const send = html`<button class="${look}">${text}</button>`;
  if (ask === undefined && more === undefined) return form(visit, to, html`${hidden(fields)}${send}`);
  return html`<details class="ask"><summary class="${look}">${text}…</summary>${form(
    visit,
    to,
    html`${ask === undefined ? NOTHING : html`<p>${ask}</p>`}${more}${hidden(fields)}${send}`,
    'question',
  )}</details>`;
}

/**
 * A labelled field.
 * @param control the element, with this id
 */
export const field = (label: string, id: string, control: Html, hint?: Part): Html =>
  html`<div class="field"><label for="${id}">${label}</label>${control}${
    hint === undefined ? NOTHING : html`<p class="hint" id="${id}-hint">${hint}</p>`
  }</div>`;

/**
 * A choice of one value.
 * @param all pairs of value and text
 * @param chosen the selected value
 */
export const select = (
  id: string,
  all: readonly (readonly [value: string, text: string])[],
  chosen: string | null | undefined,
): Html =>
  html`<select id="${id}" name="${id}">${all.map(([value, text]) =>
    value === (chosen ?? '')
      ? html`<option value="${exact(value)}" selected>${text}</option>`
      : html`<option value="${exact(value)}">${text}</option>`,
  )}</select>`;

export const input = (id: string, value: string | null | undefined, type = 'text', attributes: Html = NOTHING): Html =>
  html`<input id="${id}" name="${id}" type="${type}" value="${exact(value ?? '')}"${attributes}>`;

/** A form that filters a list: its fields are in the address. @param to relative to the console */
export const filters = (of: string, to: string, fields: Part): Html =>
  html`<form class="filters" method="get" action="${address(to)}" role="search" aria-label="${of}">${fields}<button class="plain">Filter</button></form>`;

/**
 * A part of a page that is fetched again when its subject changes.
 * @param topic the subject
 * @param visit whose address has the part
 */
export const live = (visit: Pick<Visit, 'here'>, topic: string, id: string, body: Part): Html =>
  html`<div id="${id}" data-live="${topic}" hx-get="/console${visit.here}" hx-trigger="refresh" hx-select="#${id}" hx-swap="morph:outerHTML">${body}</div>`;

interface Lines {
  /** The time of the first point and the step between two points, in seconds; the first since 1970. */
  readonly from: number;
  readonly step: number;
  readonly unit: string;
  /** The lines, with names of colours of the design. */
  readonly series: readonly { label: string; colour: string; values: readonly (number | undefined)[] }[];
}

/** A chart of lines over time, which a script draws from the numbers in its attribute. The page must set `charts`. */
export function chart(title: string, { series, ...rest }: Lines): Html {
  const rounded = series.map(({ values, ...line }) => ({
    ...line,
    values: values.map((value) => (value === undefined ? null : Number(value.toPrecision(3)))),
  }));
  const shown = series.map(
    ({ label, values }) => `${label} ${number(Math.round(Math.max(0, ...values.map((each) => each ?? 0))))}`,
  );
  return html`<figure class="chart" data-chart="${JSON.stringify({ ...rest, series: rounded })}"><figcaption>${title}</figcaption><div class="plot" role="img" aria-label="${title}. Highest: ${shown.join(', ')}${rest.unit}."></div></figure>`;
}

/** A number with separators of thousands. */
export const number = (value: number | undefined): string =>
  value === undefined ? '–' : value.toLocaleString('en-US');

/** A length of time that was measured. */
export const length = (ms: number | undefined): string => (ms === undefined ? '–' : roughly(ms));
