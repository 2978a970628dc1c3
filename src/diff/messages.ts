import type { Position } from '../model/definition.ts';
import { bareField, type Document } from '../model/document.ts';
import type { MediaMessage, Message, SoapForm } from '../model/service.ts';
import { replyName } from '../model/soap.ts';
import { type Comparison, inside, type Pair, type Scope, type Sides } from './changes.ts';
import { compareDocuments, compareMembership, type DocumentScope, messageScope } from './document.ts';
import type { WireLanguage } from './verdict.ts';

/** The positions of the operations on both sides, which stand for those of messages without a document. */
export type Positions = Pair<Position>;

function kindOf(message: Message): string {
  if (message.kind === 'raw') return message.raw;
  if (message.kind === 'none') return 'empty';
  return bareField(message.document) === undefined ? 'a document' : 'a list or a single value';
}

const sidesOf = (positions: Positions, old: string, now: string): Sides => ({
  before: { text: old, at: positions.before },
  after: { text: now, at: positions.after },
});

/** Compares requests. One without a document is compared with a document as if it had no fields. */
export function compareRequests({ before, after }: Pair<Message>, scope: DocumentScope, positions: Positions): void {
  if (before.kind === 'document' && after.kind === 'document')
    compareDocuments({ before: before.document, after: after.document }, scope);
  else if (before.kind === 'none' && hasFields(after)) compareMembership(after.document, 'added', scope);
  else if (after.kind === 'none' && hasFields(before)) compareMembership(before.document, 'removed', scope);
  else compareKinds({ before, after }, scope, positions);
}

function hasFields(message: Message): message is Extract<Message, { kind: 'document' }> {
  return message.kind === 'document' && message.document.choice === undefined && message.document.bare !== true;
}

/** Compares messages of different kinds. @returns whether they are of the same kind */
function compareKinds({ before, after }: Pair<Message>, scope: Scope, positions: Positions): boolean {
  const [old, now] = [kindOf(before), kindOf(after)];
  if (old === now) return true;
  const rule =
    before.kind === 'none' ? 'message-begun' : after.kind === 'none' ? 'message-ended' : 'message-kind-changed';
  scope.changes.add(rule, scope, sidesOf(positions, old, now));
  return false;
}

/** Compares one reply with another. */
export function compareReply({ before, after }: Pair<Message>, scope: DocumentScope, positions: Positions): void {
  if (before.kind === 'document' && after.kind === 'document')
    compareDocuments({ before: before.document, after: after.document }, scope);
  else compareKinds({ before, after }, scope, positions);
}

/** In lower case, without parameters. */
const essenceOf = ({ mediaType }: MediaMessage): string => mediaType.toLowerCase().split(/\s*;/)[0] ?? '';

const languageOf = (mediaType: string): WireLanguage => (/[/+]xml$/.test(mediaType) ? 'xml' : 'json');

/** Compares the forms of a reply over REST, the default first. @param rules for a media type that one side lacks */
export function compareForms(
  { before, after }: Pair<readonly MediaMessage[]>,
  scope: Scope,
  positions: Positions,
  added: 'media-type-added' | 'accepted-type-added',
): void {
  const [first, now] = [before[0], after[0]];
  if (first === undefined || now === undefined) return;
  const reply = messageScope(scope, 'reply', 'the reply');
  const isOnly = before.length === 1 && after.length === 1;
  const isEmpty = first.message.kind === 'none' || now.message.kind === 'none';
  const messages = { before: first.message, after: now.message };
  if ((isOnly || isEmpty) && !compareKinds(messages, { ...reply, languages: ['json'] }, positions)) return;
  const forms = new Map(after.map((form) => [essenceOf(form), form]));
  const known = new Set(before.map(essenceOf));
  for (const form of before) {
    const mediaType = essenceOf(form);
    const languages = [languageOf(mediaType)];
    const same = forms.get(mediaType);
    // Each form is compared by itself, since JSON and XML may have different documents.
    if (same !== undefined)
      compareReply({ before: form.message, after: same.message }, { ...reply, seen: new Map(), languages }, positions);
    else
      scope.changes.add(
        'media-type-removed',
        { ...inside(reply, mediaType), languages },
        sidesOf(positions, mediaType, ''),
      );
  }
  for (const mediaType of forms.keys())
    if (!known.has(mediaType))
      scope.changes.add(
        added,
        { ...inside(reply, mediaType), languages: [languageOf(mediaType)] },
        sidesOf(positions, '', mediaType),
      );
  if (essenceOf(first) !== essenceOf(now))
    scope.changes.add('default-media-type-changed', reply, sidesOf(positions, essenceOf(first), essenceOf(now)));
}

interface Failing {
  readonly fault?: Document;
  readonly faultTypes?: readonly string[];
  readonly at: Position;
}

/** Compares the media types that the fault document has over REST. */
export function compareFaultTypes({ before, after }: Pair<Failing>, scope: Scope): void {
  if (before.fault === undefined || after.fault === undefined) return;
  const words = ({ faultTypes }: Failing): string => faultTypes?.join(', ') ?? 'application/json';
  const [old, now] = [words(before), words(after)];
  if (old === now) return;
  const positions = { before: before.at, after: after.at };
  scope.changes.add('fault-type-changed', inside(scope, 'fault'), sidesOf(positions, old, now));
}

/** Where a comparison of forms over SOAP is. */
export interface SoapScope extends Scope {
  readonly positions: Positions;
}

/** The scope of a message over SOAP. Unless it is bare, the root element has the name of the operation, and there is no label of JSON. */
export function overSoap(scope: DocumentScope, { before, after }: Pair<SoapForm>): DocumentScope {
  const isBare = before.style === 'bare' && after.style === 'bare';
  return { ...scope, soap: true, ...(isBare ? {} : { wrapped: true }) };
}

const STYLES: Readonly<Record<NonNullable<SoapForm['style']>, string>> = {
  bare: 'document/literal bare',
  rpc: 'rpc/literal',
};

/** Compares how messages over SOAP are written, of operations and of calls alike. */
export const SOAP_MESSAGES: Pick<
  Comparison<SoapForm, SoapScope>,
  'style' | 'namespace' | 'replyNamespace' | 'replyElement' | 'faults'
> = {
  style: ({ before, after }, scope) => {
    const words = ({ style }: SoapForm): string => (style === undefined ? 'document/literal wrapped' : STYLES[style]);
    if (before.style === after.style) return;
    scope.changes.add('soap-style-changed', scope, sidesOf(scope.positions, words(before), words(after)));
  },
  namespace: ({ before, after }, scope) => {
    const words = ({ namespace }: SoapForm): string => namespace ?? 'that of the service';
    if (before.namespace === after.namespace) return;
    scope.changes.add('namespace-changed', scope, sidesOf(scope.positions, words(before), words(after)));
  },
  replyNamespace: ({ before, after }, scope) => {
    const words = ({ replyNamespace }: SoapForm): string => replyNamespace ?? 'that of the request';
    if (before.replyNamespace === after.replyNamespace) return;
    scope.changes.add('namespace-changed', scope, sidesOf(scope.positions, words(before), words(after)));
  },
  replyElement: ({ before, after }, scope) => {
    // A name that follows from that of the operation changes with it.
    if (before.replyElement === after.replyElement) return;
    const [old, now] = [before, after].map(replyName);
    if (old === now) return;
    scope.changes.add('soap-reply-changed', scope, sidesOf(scope.positions, old ?? '', now ?? ''));
  },
  faults: (forms, scope) => {
    const now = new Map(forms.after.faults?.map(({ name, document }) => [name, document]));
    for (const { name, document } of forms.before.faults ?? []) {
      const same = now.get(name);
      now.delete(name);
      const within = messageScope(
        { ...scope, role: scope.role === 'called' ? 'received' : 'reply' },
        `fault.${name}`,
        `the fault ${name}`,
      );
      if (same === undefined)
        scope.changes.add('soap-fault-removed', inside(scope, `fault.${name}`), sidesOf(scope.positions, name, ''));
      // The root element of the document is in the detail.
      else compareDocuments({ before: document, after: same }, { ...within, soap: true });
    }
    for (const name of now.keys())
      scope.changes.add('soap-fault-added', inside(scope, `fault.${name}`), sidesOf(scope.positions, '', name));
  },
};
