import type { Answer, Message, Method, Operation, Writes } from '../../model/service.ts';
import { documentOf } from '../document/message.ts';
import type { Linking } from '../linking.ts';
import type { OperationSpot } from './spot.ts';

/** What an operation is, as far as it decides whether a call changes something. */
interface Effect {
  readonly method: Method | undefined;
  readonly answer: Answer;
  /** `undefined` when it was refused. */
  readonly request: Message | undefined;
}

/** Methods that promise a change, whatever answers them. */
const CHANGING: ReadonlySet<Method | undefined> = new Set(['PUT', 'PATCH', 'DELETE'] as const);

/** `writes:`, or what follows from the method and from what answers. */
export function linkWrites(linking: Linking, spot: OperationSpot, effect: Effect): Writes {
  const { writes } = spot.declared;
  if (writes === undefined) return writesByNature(effect);
  if (writes === false) return refusesToRead(linking, spot, effect);
  return writes === true ? true : linkConditions(linking, spot, effect, writes);
}

/** GET and HEAD are safe (RFC 9110 section 9.2.1), and so is what stored queries and reads of a component answer. */
function writesByNature({ method, answer }: Effect): boolean {
  if (method === 'GET' || method === 'HEAD' || answer.kind === 'query' || answer.kind === 'queries') return false;
  return answer.kind !== 'component' || answer.action !== 'read';
}

function refusesToRead(linking: Linking, spot: OperationSpot, { method, answer }: Effect): boolean {
  const saves = answer.kind === 'component' && answer.action !== 'read';
  if (!saves && !CHANGING.has(method)) return false;
  const reason = saves ? `${spot.id} saves ${answer.component.id}` : `${spot.id} is called by ${method}`;
  linking.report.raise(
    'bad-writes',
    { reason: `${reason}, so it writes` },
    linking.places.value(spot.declared, 'writes'),
  );
  return true;
}

function linkConditions(
  { report, places, incomplete }: Linking,
  spot: OperationSpot,
  { request }: Effect,
  conditions: Readonly<Record<string, string>>,
): Operation['writes'] {
  const document = documentOf(request);
  const isKnown = request !== undefined && !spot.lacks('request') && !(document && incomplete.has(document));
  return Object.entries(conditions).flatMap(([name, value]) => {
    const field = document?.fields.find((each) => each.name === name);
    const refuse = (reason: string): [] => {
      if (isKnown || field !== undefined) report.raise('bad-writes', { reason }, places.key(conditions, name));
      return [];
    };
    if (field === undefined) return refuse(`${name} is not a field of the request of ${spot.id}`);
    if (!['string', 'text', 'flag'].includes(field.type.kind)) return refuse(`${name} is not a text`);
    if (field.enum !== undefined && !field.enum.includes(value))
      return refuse(`${name} is never ${JSON.stringify(value)}: it is one of ${field.enum.join(', ')}`);
    return [{ field, value }];
  });
}
