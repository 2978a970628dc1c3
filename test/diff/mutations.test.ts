// What was valid before and is refused after is never judged compatible: tried with random documents, each with a random change.
import { expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import type { Role, WireLanguage } from '../../src/diff/verdict.ts';
import { instanceOf, type Pick, seeded } from '../../src/mock/instance.ts';
import type { Document } from '../../src/model/document.ts';
import { attempt, changesOf, hasAtLeast, type Messages, messagesOf, refusedOf } from './messages.ts';
import { type Declaration, mutated, randomDocument } from './random-documents.ts';
import { registryIn } from './sample.ts';

/** More for a longer search: SIGNALBOX_MUTATIONS=5000 npx vitest run test/diff/mutations.test.ts */
const COUNT = Number(process.env.SIGNALBOX_MUTATIONS ?? 250);
const SEED = process.env.SIGNALBOX_SEED ?? '1';

const ROLES = ['request', 'reply', 'sent', 'received'] as const satisfies readonly Role[];
const LANGUAGES = ['json', 'xml'] as const satisfies readonly WireLanguage[];

/** Values that are put in place of those of instances, to meet bounds from both sides. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, 1, 2, 5, 6, 9, 10, 100, 1000, -1, 0.5, 1.25, 99.5, 1.125, 1e20],
  ...[
    '',
    'A',
    'a',
    'B',
    'C',
    'I',
    'AB',
    'ABC',
    'abcde',
    'ABCDEFGH',
    ' A ',
    'A\tB',
    '1',
    'Y',
    '2025-12-31',
    '2026-06-01',
    '2027-01-01',
  ],
  ...[
    '2026-01-31T08:30:00Z',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
    [],
    ['A'],
    ['AB', 'B', 'C'],
    [1],
    [1, 5, 9],
    [6],
    {},
    { a: 'A' },
    { b: 1 },
  ],
  ...[{ k: 'A' }, { k: 'A', l: 'B', m: 'C' }, { undeclared: 1 }],
];

/** The declaration as a document; `undefined` when the options of the random declaration contradict each other. */
function documentOf(declaration: Declaration): Document | undefined {
  try {
    return registryIn(
      `document: DOC\n${Object.entries(declaration)
        .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
        .join('\n')}\n`,
    ).documents.get('DOC');
  } catch {
    return undefined;
  }
}

/** Instances, and each again without a member, with another value, or with a further member. */
function textsFor(document: Document, pick: Pick): string[] {
  const { toJson } = compileDocument(document, { namespace: 'urn:test' });
  const texts: string[] = ['{}'];
  for (let made = 0; made < 4; made++) {
    const text = attempt(() => toJson(instanceOf(document, pick)));
    if (text === undefined) continue;
    texts.push(text);
    for (let variant = 0; variant < 12; variant++) texts.push(JSON.stringify(varied(JSON.parse(text), pick)));
  }
  return texts;
}

function varied(value: unknown, pick: Pick): unknown {
  if (typeof value !== 'object' || value === null) return VALUES[pick(VALUES.length)];
  if (Array.isArray(value)) {
    const entries = pick(3) === 0 ? [] : [...value];
    if (entries.length > 0 && pick(2) === 0) entries[0] = varied(entries[0], pick);
    return pick(3) === 0 && entries.length > 0 ? [...entries, entries[0]] : entries;
  }
  const copy: Record<string, unknown> = { ...value, ...(pick(6) === 0 ? { undeclared: 1 } : {}) };
  for (const key of Object.keys(copy)) {
    const change = pick(5);
    if (change === 0) delete copy[key];
    else if (change === 1) copy[key] = VALUES[pick(VALUES.length)];
    else if (change === 2) copy[key] = varied(copy[key], pick);
  }
  return copy;
}

interface Tried {
  readonly before: Declaration;
  readonly after: Declaration;
  readonly old: Messages;
  readonly now: Messages;
}

function tryPairs(): Tried[] {
  const pick = seeded(`mutations ${SEED}`);
  const tried: Tried[] = [];
  while (tried.length < COUNT) {
    const before = randomDocument(pick);
    const after = mutated(pick, before);
    const [old, now] = [documentOf(before), documentOf(after)];
    if (old === undefined || now === undefined) continue;
    // What is valid on one side may be on the other, too.
    const texts = [...textsFor(old, pick), ...textsFor(now, pick)];
    tried.push({ before, after, old: messagesOf(old, texts), now: messagesOf(now, texts) });
  }
  return tried;
}

const tried = tryPairs();

it.each(
  ROLES.flatMap((role) => LANGUAGES.map((language) => [role, language] as const)),
)('what is refused as a %s in %s is not compatible', (role, language) => {
  const missed = tried.flatMap(({ before, after, old, now }) => {
    const refused = refusedOf(old, now, role, language);
    if (refused === undefined) return [];
    if (hasAtLeast(changesOf(old.document, now.document, role, language), language, 'may-break')) return [];
    return `${JSON.stringify(before)} > ${JSON.stringify(after)}: ${refused}`;
  });
  expect(missed).toEqual([]);
});

it('nothing changes between a document and itself', () => {
  for (const { before, old } of tried) {
    const again = documentOf(before) as Document;
    for (const role of ROLES)
      for (const language of LANGUAGES) expect(changesOf(old.document, again, role, language)).toEqual([]);
  }
});

it('what is breaking is refused, mostly', () => {
  const counts = { breaking: 0, refused: 0 };
  const silent: Record<string, number> = {};
  for (const { old, now } of tried)
    for (const role of ROLES)
      for (const language of LANGUAGES) {
        const changes = changesOf(old.document, now.document, role, language);
        if (!hasAtLeast(changes, language, 'breaking')) continue;
        counts.breaking += 1;
        if (refusedOf(old, now, role, language) !== undefined) counts.refused += 1;
        else
          for (const each of changes)
            if (each.verdicts[language] === 'breaking')
              silent[`${role} ${language} ${each.rule}`] = (silent[`${role} ${language} ${each.rule}`] ?? 0) + 1;
      }
  if (process.env.SIGNALBOX_MUTATIONS) console.log(counts, silent);
  expect(counts.refused / counts.breaking).toBeGreaterThan(0.5);
});
