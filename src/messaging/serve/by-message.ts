import type { Outcome } from '../../model/handler.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { compilePath } from '../../serve/answer/by-component.ts';
import type { Answerer, AnswerPorts } from '../../serve/answer/call.ts';

/** The service of the package that shows messages. */
const SERVICE = 'MESSAGES.v1';

/**
 * `queue: NAME`: the request becomes a message, and the reply says its id: 202 with `{ "message": "<id>" }` over REST, an empty
 * reply over SOAP, an acknowledgement with the id as its transaction at the HTTP connector. `Location` is the address
 * of the reply that comes later, else that of the message where the gateway serves it.
 */
export function answerByMessage(operation: Operation, { services, registry, base }: AnswerPorts): Answerer {
  const reading = [...registry.operations.values()].find(({ answer, active, uris }) => {
    return active && uris.length > 0 && answer.kind === 'reply' && answer.to === operation.id;
  });
  const replyPath = reading && pathOf(reading);
  const isShown = registry.services.get(SERVICE)?.active === true;
  return {
    async answer(input, call, as) {
      const { user, requestId, signal, takeEffect, replyTo } = call;
      const connector = as === 'soap' ? 'soap' : 'rest';
      const message = await services.messages.publish(operation, input, {
        user,
        requestId,
        signal,
        takeEffect,
        replyTo,
        connector,
      });
      const path = replyPath?.({ message }) ?? (isShown ? `${SERVICE}/messages/${message}` : undefined);
      const headers = path === undefined ? {} : { Location: `${base()}/RESTListeningConnector/${path}` };
      return { kind: 'value', value: { message }, headers };
    },
  };
}

function pathOf({ pathName, service, uris }: Operation): (value: DocumentValue) => string {
  const expand = compilePath(uris[0]!);
  return (value) => `${pathName}.${service.version}/${expand(value)}`;
}

/** Seconds after which callers ask again for a reply that is not there yet. */
const ASK_AGAIN = 5;

/** `reply-of: OPERATION`: the reply to a message of that operation, or 202 while it is awaited. */
export function answerByReply(to: string, { services }: AnswerPorts): Answerer {
  return {
    async answer(input, { user }) {
      const value = await services.messages.reply(to, input.message as string, user);
      if (value !== undefined) return { kind: 'value', value };
      const headers = { 'Retry-After': String(ASK_AGAIN) };
      return {
        kind: 'bytes',
        bytes: { contentType: '', length: 0, body: new Uint8Array(), status: 202, headers },
      };
    },
  };
}

/** The id of the message in the reply of an operation that published it. */
export function publishedBy(outcome: Outcome): string | undefined {
  if (outcome.kind !== 'value' || typeof outcome.value === 'string') return undefined;
  return outcome.value.message as string;
}
