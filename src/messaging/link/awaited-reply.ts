import { typeWords } from '../../load/document/field-type.ts';
import { type Callee, inputOf } from '../../load/flow/calls.ts';
import type { Linking } from '../../load/linking.ts';
import { given } from '../../load/object.ts';
import { linkDuration } from '../../load/value/units.ts';
import type { AwaitedReply } from '../../model/message.ts';
import { isAnyText } from '../../model/scalar.ts';
import type { SubscriptionDeclared } from './schema.ts';

/** How long a reply may be awaited. */
export const REPLY_WITHIN = { least: 1, amount: 366 * 86_400_000, words: 'from 1 ms to 366 d' };

/** Characters that a field needs which has to hold the address of a reply: the base of the gateway, and about 90 more. */
const LONGEST_ADDRESS = 200;

/**
 * `awaits-reply:` of a subscription, whose call is answered later; `undefined` without it, and where it was reported.
 * @param refuse reports an error at a key of the subscription
 */
export function linkAwaitedReply(
  linking: Linking,
  value: SubscriptionDeclared,
  call: Callee,
  refuse: (reason: string, key: keyof SubscriptionDeclared) => void,
): AwaitedReply | undefined {
  const { 'awaits-reply': reply } = value;
  if (reply === undefined) return undefined;
  const within = linkDuration(linking, reply, 'awaits-reply.within', REPLY_WITHIN);
  if ('steps' in call) {
    refuse(`awaits a later reply of the flow ${call.id}; only an operation can have one`, 'awaits-reply');
    return undefined;
  }
  if (call.kind === 'soap' && !call.properties.upContent)
    refuse(
      `awaits a later reply of ${call.id}, whose callers write the whole envelope (SOAPUpContent=N), so the address for the reply can't be added`,
      'awaits-reply',
    );
  if (call.kind === 'rest' && new Set(call.responses.map(({ message }) => JSON.stringify(formOf(message)))).size > 1)
    refuse(
      `awaits a later reply of ${call.id}, whose replies have several documents; declare the one that comes`,
      'awaits-reply',
    );
  if (call.kind === 'rest' && reply.to === undefined)
    refuse(
      `awaits a later reply of ${call.id}, but no field of its input carries the address for it; name one with \`awaits-reply: { to: FIELD }\``,
      'awaits-reply',
    );
  const to = reply.to === undefined ? undefined : linkTo(linking, value, reply.to, call, refuse);
  return { within: within ?? REPLY_WITHIN.amount, ...given({ to, file: value.handler }) };
}

/** What tells forms of a reply apart. */
function formOf(message: {
  readonly kind: string;
  readonly raw?: string;
  readonly document?: { readonly id: string };
}) {
  return [message.kind, message.raw, message.document?.id];
}

/** The field of the input that carries the address. */
function linkTo(
  linking: Linking,
  { map = {}, 'awaits-reply': reply }: SubscriptionDeclared,
  name: string,
  call: Callee,
  refuse: (reason: string, key: keyof SubscriptionDeclared) => void,
) {
  const { fields, complete } = inputOf(linking, call);
  const field = fields.find((each) => each.name === name);
  if (field === undefined) {
    const known = fields.map((each) => each.name);
    const at = linking.places.value(reply as object, 'to');
    if (complete) linking.report.raise('unknown-input', { name, call: call.id, known }, at);
    return undefined;
  }
  if (Object.hasOwn(map, name))
    refuse(`fills ${name} of ${call.id} by \`map\`, but it carries the address for the reply`, 'map');
  if (!isAnyText(field.type)) {
    refuse(
      `sends the address for the reply in ${name} of ${call.id}, which is ${typeWords(field.type)}, not a text`,
      'awaits-reply',
    );
    return undefined;
  }
  const length = 'length' in field.type ? field.type.length : undefined;
  if (length !== undefined && length < LONGEST_ADDRESS)
    refuse(
      `sends the address for the reply in ${name} of ${call.id}, which has room for ${length} characters; it needs ${LONGEST_ADDRESS}`,
      'awaits-reply',
    );
  return field;
}
