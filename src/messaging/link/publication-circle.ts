import { placeOf } from '../../load/diagnostic/diagnostic.ts';
import type { Linking } from '../../load/linking.ts';
import { SAVE_EFFECTS } from '../../model/component.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Gateway } from '../../model/gateway.ts';
import type { Subscription } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { type Operation, operationsOf } from '../../model/service.ts';

/**
 * Reports subscriptions by which each message leads to another one for ever: their calls go to `publicUrl` of this gateway, to
 * operations with `queue:`, or to saves of components that publish. Only what is certain is reported: subscriptions and
 * publications without conditions, and addresses that are written as `publicUrl` is, also where both refer to the same
 * configuration. All others end at run time, by the number of messages that one may lead to.
 */
export function checkPublicationCircles(
  { report }: Linking,
  gateway: Gateway,
  { subscriptions, operations }: Pick<Registry, 'subscriptions' | 'operations'>,
): void {
  const reached = [...operations.values()].filter((each) => each.active && publishedBy(each).length > 0);
  const byAddress = new Map(reached.flatMap((each) => addressesOf(each, gateway).map((at) => [at, each])));
  const steps = [...subscriptions.values()].flatMap((subscription) => {
    const { target, when, active } = subscription;
    if (target.kind !== 'call' || when.length > 0 || !active) return [];
    return operationsOf(target.call).flatMap((call): Step[] => {
      const called = byAddress.get(addressOf(call) ?? '');
      return called === undefined ? [] : publishedBy(called).map((next) => ({ subscription, called, next }));
    });
  });
  const found = new Set<Subscription>();
  for (const { subscription } of steps) {
    const circle = circleFrom(subscription.operation, steps);
    if (circle === undefined || circle.some((step) => found.has(step.subscription))) continue;
    for (const step of circle) found.add(step.subscription);
    const [first] = circle as [Step, ...Step[]];
    const names = circle.flatMap(({ subscription: { id }, called, next }) =>
      called === next ? [id, next.id] : [id, called.id, next.id],
    );
    const path = [first.subscription.operation.id, ...names].join(' > ');
    report.raise('publication-circle', { path }, placeOf(first.subscription.at));
  }
}

/** A subscription whose delivery publishes the next message. */
interface Step {
  readonly subscription: Subscription;
  /** The operation that its call reaches. */
  readonly called: Operation;
  /** That operation, or what it saves publishes. */
  readonly next: Operation;
}

/** The operations whose messages each call of an operation publishes. */
function publishedBy(operation: Operation): readonly Operation[] {
  const { answer } = operation;
  if (answer.kind === 'queue') return [operation];
  if (answer.kind !== 'component' || answer.action === 'read') return [];
  return answer.component.publications.flatMap((each) =>
    each.when.length === 0 && each.on.length === SAVE_EFFECTS.length ? each.operation : [],
  );
}

/** The steps that lead from an operation back to it. */
function circleFrom(operation: Operation, steps: readonly Step[]): readonly Step[] | undefined {
  const seen = new Set<Operation>();
  const walk = (at: Operation): readonly Step[] | undefined => {
    for (const step of steps) {
      if (step.subscription.operation !== at || seen.has(step.next)) continue;
      seen.add(step.next);
      const rest = step.next === operation ? [] : walk(step.next);
      if (rest !== undefined) return [step, ...rest];
    }
    return undefined;
  };
  return walk(operation);
}

/** Where an operation is called, as far as its address is declared: with the method over REST, with the action over SOAP. */
function addressesOf({ method, uris, soap, pathName, service }: Operation, gateway: Gateway): string[] {
  const { publicUrl, context, id } = gateway;
  if (publicUrl === undefined) return [];
  const base = `${publicUrl.source}/${context}`;
  const segments = [`${pathName}.${service.version}`, ...(service.default ? [pathName] : [])];
  const rest = uris.flatMap(({ template }) =>
    ['', `/${id}`].flatMap((node) =>
      segments.map((segment) => `${method} ${base}/RESTListeningConnector${node}/${segment}/${shapeOf(template.text)}`),
    ),
  );
  return soap === undefined ? rest : [...rest, `${soap.action} ${base}/PeopleSoftServiceListeningConnector`];
}

/** The same of a call; `undefined` when it has several addresses. */
function addressOf(call: ConsumerOperation): string | undefined {
  const [base, another] = call.target.base;
  const source = (call.properties.primaryUrl ?? base)?.source.replace(/\/+$/, '');
  if (another !== undefined || source === undefined) return undefined;
  if (call.kind === 'soap') return `${call.soap.action} ${source}`;
  const [uri] = call.uris;
  return call.host || uri === undefined ? undefined : `${call.method} ${source}/${shapeOf(uri.template.text)}`;
}

/** A template without the names of its variables. */
function shapeOf(template: string): string {
  return template.replace(/\{[^{}]*\}/g, '{}');
}
