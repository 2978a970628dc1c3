import type { Component } from './component.ts';
import type { ConsumerOperation } from './consumer.ts';
import type { Flow } from './flow.ts';
import type { Query } from './query.ts';
import type { Answer } from './service.ts';

/** Something that an answer reaches under a grant of its own. */
export interface Reached {
  readonly kind: 'query' | 'component' | 'consumer';
  readonly thing: Query | Component | ConsumerOperation;
}

/** What an answer reaches, each once. Undefined where only running it tells. */
export function reachedBy(answer: Answer): readonly Reached[] | undefined {
  switch (answer.kind) {
    case 'query':
      return [{ kind: 'query', thing: answer.query }];
    case 'queries':
      return [...new Set(answer.lists.map(({ query }) => query))].map((thing) => ({ kind: 'query', thing }));
    case 'component':
      return [{ kind: 'component', thing: answer.component }];
    case 'call':
      return [...new Set(operationsOf(answer.call))].map((thing) => ({ kind: 'consumer', thing }));
    case 'handler':
    case 'delivered':
      return undefined;
  }
}

/** The calls that one stands for, in order. */
export function operationsOf(call: ConsumerOperation | Flow): readonly ConsumerOperation[] {
  return 'steps' in call ? call.steps.map(({ operation }) => operation) : [call];
}
