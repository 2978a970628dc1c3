import type { ConsumerOperation } from '../../model/consumer.ts';
import type { FlowStep, KeptValue, ReplyPath } from '../../model/flow.ts';
import { typeWords } from '../document/field-type.ts';
import { isText } from '../document/type-fit.ts';
import { given } from '../given.ts';
import { type Linking, refuseKey } from '../linking.ts';
import type { FlowStepDeclared } from '../schema/flow.ts';
import { linkDuration } from '../value/units.ts';
import { resolveConsumer, type StepSources } from './calls.ts';
import { linkReplyPath } from './path.ts';

/** A step of a flow, and what its definition says. */
export interface StepSpot {
  readonly step: FlowStep;
  readonly declared: FlowStepDeclared;
}

/** Links one step; undefined where it calls nothing that can be used, which has been reported. */
export function linkStep(linking: Linking, declared: FlowStepDeclared, sources: StepSources): FlowStep | undefined {
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
  sources: StepSources,
): ConsumerOperation | undefined {
  const { call } = declared;
  const at = linking.places.value(declared, 'call');
  const isOperation = sources.names.byName.has(call) || !sources.flowNames.has(call);
  if (isOperation) return resolveConsumer(linking, sources, call, at);
  linking.report.raise(
    'not-a-call',
    { name: call, reason: 'a step calls one operation, by its id, and not a flow' },
    at,
  );
  return undefined;
}

/** Keys that are about what a step keeps. */
function checkWithoutKeep(linking: Linking, declared: FlowStepDeclared, { id }: ConsumerOperation): void {
  if (declared.keep !== undefined || linking.incomplete.has(declared)) return;
  for (const key of ['for', 'renew-on'])
    refuseKey(linking, declared, key, `the call of ${id}`, 'the step keeps nothing that could end');
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
