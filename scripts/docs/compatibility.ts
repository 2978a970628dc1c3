// Writes the catalogue of rules of `signalbox diff` into docs/compatibility.md, behind a guide that is written by hand.
import { readFileSync } from 'node:fs';
import { lettersIn, type Rule } from '../../src/diff/catalogue/entry.ts';
import { SUBJECTS } from '../../src/diff/catalogue.ts';
import { ROLES, type Role } from '../../src/diff/verdict.ts';
import { ruleSample } from '../../test/diff/samples.ts';

export function compatibilityPage(): string {
  const guide = readFileSync(new URL('compatibility-rules.md', import.meta.url), 'utf8');
  const chapters = Object.entries(SUBJECTS).map(([title, rules]) => chapter(title, rules));
  return guide
    .replace('<!-- rules -->', () => chapters.join('\n'))
    .trimEnd()
    .concat('\n');
}

function chapter(title: string, rules: Readonly<Record<string, Rule>>): string {
  const entries = Object.entries(rules).map(([id, rule]) => entry(id, rule));
  return `### ${title}\n\n${entries.join('\n')}`;
}

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  callers: 'for callers',
  request: 'request',
  reply: 'reply',
  called: 'for the system that is called',
  sent: 'sent',
  received: 'received',
};

const GENERIC: Readonly<Record<string, string>> = { what: 'X', before: 'this', after: 'that' };

function entry(id: string, rule: Rule): string {
  const rows = ROLES.flatMap((role) => {
    const letters = lettersIn(rule, role);
    return letters === undefined ? [] : `| ${ROLE_WORDS[role]} | ${[...letters].join(' | ')} |`;
  });
  const sentence = rule.sentence.replace(/\{(\w+)\}/g, (_, name: string) => `*${GENERIC[name]}*`);
  const { before, after } = ruleSample(id);
  const parts = [
    `#### ${id}`,
    `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)} ${rule.reason}`,
    ['| | JSON | XML | generated clients |', '|---|---|---|---|', ...rows].join('\n'),
    `Before:\n\n${fenced(before)}`,
    `After:\n\n${fenced(after)}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function fenced(text: string): string {
  return text === '' ? '(nothing)' : `\`\`\`yaml\n${text.trimEnd()}\n\`\`\``;
}
