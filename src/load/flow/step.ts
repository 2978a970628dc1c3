import type { ConsumerOperation } from '../../model/consumer.ts';
import type { FlowStep, KeptValue, ReplyPath } from '../../model/flow.ts';
import type { FlowStepDeclared } from '../declared.ts';
import { typeWords } from '../document/field-type.ts';
import { isText } from '../document/type-fit.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import { linkDuration } from '../units.ts';
import { type CallSources, resolveConsumer } from './calls.ts';
import { linkReplyPath } from './path.ts';

/** A step of a flow, and what its definition says. */
export interface StepSpot {
  readonly step: FlowStep;
  readonly declared: FlowStepDeclared;
}

/** Links one step; undefined where it calls nothing that can be used, which has been reported. */
export function linkStep(linking: Linking, declared: FlowStepDeclared, sources: CallSources): FlowStep | undefined {
  const operation = linkOperationOf(linking, declared, sources);
  if (operation === undefined) return undefined;
  checkWithoutKeep(linking, declared, operation);
  const renewOn = declared['renew-on'] ?? [];
  return {
    operation,
    keep: linkKeep(linking, declared, operation),
    renewOn: typeof renewOn === 'number' ? [renewOn] : renewOn,
    ...given({ holds: linkHolds(linking, declared, operation), timeout: linkDuration(linking, declared, 'timeout') }),
  };
}

function linkOperationOf(
  linking: Linking,
  declared: FlowStepDeclared,
  sources: CallSources,
): ConsumerOperation | undefined {
  const { call } = declared;
  const at = linking.places.value(declared, 'call');
  if (!call.includes('.')) return resolveConsumer(linking, sources, call, at);
  const meant = call.split('.').find((part) => sources.consumers.has(part));
  const reason = 'a step calls one operation, by its id, and not a flow';
  linking.report.raise('not-a-call', { name: call, reason, ...given({ meant }) }, at);
  return undefined;
}

/** Keys that are about what a step keeps. */
function checkWithoutKeep(
  { report, places, incomplete }: Linking,
  declared: FlowStepDeclared,
  { id }: ConsumerOperation,
) {
  if (declared.keep !== undefined || incomplete.has(declared)) return;
  for (const key of ['for', 'renew-on'] as const) {
    if (declared[key] === undefined) continue;
    const why = 'the step keeps nothing that could end';
    report.raise('key-without-effect', { key, owner: `the call of ${id}`, why }, places.key(declared, key));
  }
}

function linkKeep(linking: Linking, { keep }: FlowStepDeclared, operation: ConsumerOperation): KeptValue[] {
  if (keep === undefined) return [];
  return Object.entries(keep).flatMap(([name, path]) => {
    const from = linkReplyPath(linking, operation, path, linking.places.value(keep, name));
    return from === undefined ? [] : { name, from };
  });
}

/** The number of seconds. */
function linkHolds(linking: Linking, declared: FlowStepDeclared, operation: ConsumerOperation): ReplyPath | undefined {
  if (declared.for === undefined) return undefined;
  const at = linking.places.value(declared, 'for');
  const found = linkReplyPath(linking, operation, declared.for, at);
  if (found === undefined) return undefined;
  const { name, type } = found.field;
  if (type.kind === 'integer' || type.kind === 'decimal') return found;
  const reason = `${name} is ${typeWords(type)}, and no number of seconds`;
  const instead = isText(type) ? `Declare ${name} as integer: digits in a string are read as a number too.` : undefined;
  linking.report.raise('reply-path', { path: declared.for, reason, ...given({ instead }) }, at);
  return undefined;
}
