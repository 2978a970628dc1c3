import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { FlowStep, KeptValue, ReplyPath } from '../../model/flow.ts';
import { isAnyText, isNumeric, primitiveOf } from '../../model/scalar.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { messageWords } from '../document/documents.ts';
import { typeWords } from '../document/field-type.ts';
import { type Linking, refuseKey } from '../linking.ts';
import { given } from '../object.ts';
import type { FlowStepDeclared } from '../schema/flow.ts';
import { linkDuration } from '../value/units.ts';
import { replyOf, resolveConsumer, type StepSources } from './calls.ts';

/** A step of a flow with its declaration. */
export interface StepSpot {
  readonly step: FlowStep;
  readonly declared: FlowStepDeclared;
}

/** Links one step; `undefined` when its operation can't be used, which has been reported. */
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
  const isOperation = sources.names.has(call) || !sources.flowNames.has(call);
  if (isOperation) return resolveConsumer(linking, sources, call, at);
  linking.report.raise('not-a-call', { name: call, reason: 'a step must call an operation, not a flow' }, at);
  return undefined;
}

/** Refuses keys that only matter for kept values. */
function checkWithoutKeep(linking: Linking, declared: FlowStepDeclared, { id }: ConsumerOperation): void {
  if (declared.keep !== undefined || linking.doubt.about(declared)) return;
  for (const key of ['for', 'renew-on'])
    refuseKey(linking, declared, key, `the call of ${id}`, 'the step keeps no values');
}

function linkKeep(linking: Linking, { keep }: FlowStepDeclared, operation: ConsumerOperation): KeptValue[] {
  if (keep === undefined) return [];
  return Object.entries(keep).flatMap(([name, path]) => {
    const from = linkReplyPath(linking, operation, path, linking.places.value(keep, name));
    return from === undefined ? [] : { name, from };
  });
}

/** The field with the number of seconds. */
function linkHolds(linking: Linking, declared: FlowStepDeclared, operation: ConsumerOperation): ReplyPath | undefined {
  if (declared.for === undefined) return undefined;
  const at = linking.places.value(declared, 'for');
  const found = linkReplyPath(linking, operation, declared.for, at);
  if (found === undefined) return undefined;
  const { name, type } = found.field;
  if (isNumeric(type)) return found;
  const reason = `${name} is ${typeWords(type)}, not a number of seconds`;
  const instead = isAnyText(type)
    ? `Declare ${name} as integer: digits in a string are also accepted as a number.`
    : undefined;
  linking.report.raise('reply-path', { path: declared.for, reason, ...given({ instead }) }, at);
  return undefined;
}

/** A path into the reply of a call: `access_token` or `result.token`. A path that does not lead to a single value is reported. */
function linkReplyPath(linking: Linking, operation: ConsumerOperation, path: string, at: Place): ReplyPath | undefined {
  const { message, complete } = replyOf(linking, operation);
  if (message.kind !== 'document') {
    const reason = `${operation.id} answers ${messageWords(message)}, which has no fields`;
    if (complete) linking.report.raise('reply-path', { path, reason }, at);
    return undefined;
  }
  const found = follow(message.document, path);
  if ('unknown' in found) {
    const { unknown, document } = found;
    const reason = `${unknown} is not a field of ${document.id}`;
    const known = document.fields.map((field) => field.name);
    if (complete && !linking.doubt.about(document))
      linking.report.raise('reply-path', { path, reason, meant: { given: unknown, known } }, at);
    return undefined;
  }
  const reason = 'reason' in found ? found.reason : whyNoSingleValue(found.field);
  if (reason !== undefined) linking.report.raise('reply-path', { path, reason }, at);
  return 'reason' in found || reason !== undefined ? undefined : found;
}

type Followed =
  | ReplyPath
  | { readonly unknown: string; readonly document: Document }
  /** Why the way does not go on. */
  | { readonly reason: string };

function follow(root: Document, text: string): Followed {
  const path: string[] = [];
  let document = root;
  for (let rest = text; ; ) {
    const field = fieldAt(document, rest);
    if (field === undefined) return { unknown: rest.split('.', 1)[0] ?? rest, document };
    path.push(field.name);
    if (rest.length === field.name.length) return { path, field };
    if (field.type.kind !== 'document')
      return { reason: `${field.name} of ${document.id} is ${typeWords(field.type)}, which has no fields` };
    document = field.type.document;
    rest = rest.slice(field.name.length + 1);
  }
}

/** The field that a path begins with. Names may contain dots: the longest match is meant. */
function fieldAt({ fields }: Document, path: string): Field | undefined {
  const found = fields.filter(({ name }) => path === name || path.startsWith(`${name}.`));
  return found.toSorted((a, b) => b.name.length - a.name.length)[0];
}

function whyNoSingleValue({ name, type }: Field): string | undefined {
  if (primitiveOf(type) === 'binary') return `${name} is binary content, which can be read only once`;
  return primitiveOf(type) === undefined ? `${name} is ${typeWords(type)}, not a single value` : undefined;
}
