import type { Component } from '../../model/component.ts';
import type { Query } from '../../model/query.ts';
import type { Answer, MediaMessage, Message, Method, Service } from '../../model/service.ts';
import type { Documents } from '../document/documents.ts';
import type { Calls } from '../flow/calls.ts';
import { handlerNamedAs } from '../handlers.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import { linkQueriesAnswer, linkQueryAnswer } from './answer.ts';
import { linkCallAnswer } from './call.ts';
import { linkComponentAnswer } from './component.ts';
import { linkRequest, linkResponses } from './message.ts';
import type { OperationSpot } from './spot.ts';
import type { PlacedTemplate } from './templates.ts';

/** What may answer operations beside code. */
export interface AnswerSources {
  readonly documents: Documents;
  readonly queries: ReadonlyMap<string, Query>;
  readonly components: ReadonlyMap<string, Component>;
  readonly calls: Calls;
}

/** What an operation takes and gives, and what makes the one of the other. */
export interface Exchange {
  readonly answer: Answer;
  readonly request: Message | undefined;
  readonly responses: readonly MediaMessage[] | undefined;
  /** Where they are others than over REST. */
  readonly soapResponses?: readonly MediaMessage[];
}

/** Request, reply and what makes the one of the other. */
export function linkExchange(
  { documents, queries, components, calls }: AnswerSources,
  spot: OperationSpot,
  service: Service,
  method: Method | undefined,
  templates: readonly PlacedTemplate[],
): Exchange {
  const { declared } = spot;
  checkOneAnswer(documents.linking, spot);
  const code = linkHandler(documents, spot, service);
  const unknown = { answer: code, request: undefined, responses: undefined };
  if (typeof declared.query === 'string') return linkQueryAnswer(documents, spot, queries, templates) ?? unknown;
  if (declared.save !== undefined || declared.read !== undefined)
    return linkComponentAnswer(documents, spot, components, method) ?? unknown;
  const request = linkRequest(documents, spot);
  const responses = linkResponses(documents, spot);
  if (declared.query === undefined) {
    const called = declared.call === undefined ? undefined : linkCallAnswer(documents.linking, spot, calls);
    return { answer: called ?? code, request, responses };
  }
  const answer = linkQueriesAnswer(documents, spot, queries, request, responses?.[0]?.message);
  return { answer: answer ?? code, request, responses };
}

function checkOneAnswer(linking: Linking, { declared }: OperationSpot): void {
  const [first = '', ...others] = ([...ANSWERS, 'handler'] as const).filter((key) => declared[key] !== undefined);
  for (const second of others) refuseBoth(linking, declared, first, second, 'one thing answers an operation');
}

/** Keys that name what answers in place of code. */
const ANSWERS = ['query', 'save', 'read', 'call'] as const;

function linkHandler(
  { linking: { report, places, incomplete } }: Documents,
  { id, declared, lacks }: OperationSpot,
  service: Service,
): Answer {
  const name = declared.handler;
  if (name?.startsWith('signalbox/') !== true) {
    const answer: Answer = { kind: 'handler', file: name ?? handlerNamedAs(id) };
    // What can't be used is meant, or what was refused may have named one, or a file.
    const isMeant = ANSWERS.some((key) => declared[key] !== undefined);
    if (name === undefined && (isMeant || lacks('handler', 'target', ...ANSWERS))) incomplete.add(answer);
    return answer;
  }
  if (!service.delivered) report.raise('unknown-handler', { name }, places.value(declared, 'handler'));
  return { kind: 'delivered', name };
}
