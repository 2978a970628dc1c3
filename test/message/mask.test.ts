import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { showPayload } from '../../src/messaging/run/mask.ts';
import { MASK } from '../../src/model/redactor.ts';
import { compound, document, field } from '../support/registry.ts';

const CARD = document('CARD', [field('NUMBER'), field('PIN', 'string', { sensitive: true })]);
const TRANSFER = document('TRANSFER', [field('IBAN')]);

const shown = (of: Parameters<typeof document>[2], json: string, sensitive = false): unknown => {
  const branches = [field('card', compound(CARD)), field('transfer', compound(TRANSFER), { sensitive })];
  const message = { kind: 'document', document: document('PAYMENT', branches, of) } as const;
  return showPayload(message, json, createRedactor()).value;
};

describe('what people see of a choice', () => {
  it('is its branch without what is sensitive', () => {
    expect(shown({ choice: { tag: 'kind' } }, '{"kind":"card","NUMBER":"1","PIN":"2"}')).toEqual({
      kind: 'card',
      NUMBER: '1',
      PIN: MASK,
    });
    expect(shown({ choice: { named: true } }, '{"card":{"NUMBER":"1","PIN":"2"}}')).toEqual({
      card: { NUMBER: '1', PIN: MASK },
    });
  });

  it('is nothing of a branch that is sensitive as a whole', () => {
    expect(shown({ choice: {} }, '{"IBAN":"x"}', true)).toEqual({ IBAN: MASK });
    expect(shown({ choice: { named: true } }, '{"transfer":{"IBAN":"x"}}', true)).toEqual({ transfer: MASK });
  });
});
