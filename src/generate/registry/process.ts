import type { Process, Recurrence } from '../../model/process.ts';
import type { JsonTree } from '../json-text.ts';
import { fieldsTree } from './document.ts';
import { sortedIds, yes } from './tree.ts';

/** A process of `registry.json`. */
export function processTree(process: Process): JsonTree {
  const { description, type, answer, parameters, retry, timeout, recurs, runAs, permissions } = process;
  return {
    description,
    type,
    handler: answer.kind === 'handler' ? answer.file : undefined,
    query: answer.kind === 'query' ? answer.query.id : undefined,
    parameters: answer.kind === 'handler' ? fieldsTree(parameters) : undefined,
    retry: retry.attempts === 0 ? undefined : { ...retry },
    timeout,
    recurs: recurs?.id,
    'run-as': runAs,
    permissions: sortedIds(permissions),
    public: yes(process.public),
  };
}

/** A recurrence of `registry.json`. */
export function recurrenceTree({ description, cron, zone }: Recurrence): JsonTree {
  return { description, cron, zone };
}
