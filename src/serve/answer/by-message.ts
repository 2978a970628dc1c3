import type { Outcome } from '../../model/handler.ts';
import type { Operation } from '../../model/service.ts';
import type { Answerer, AnswerPorts } from './call.ts';

/** The service of the package that shows messages. */
const SERVICE = 'MESSAGES.v1';

/**
 * `queue: NAME`: the request becomes a message, and the reply says its id: 202 with `{ "message": "<id>" }` over REST, an empty
 * reply over SOAP (one-way), an acknowledgement with the id as its transaction at the HTTP connector. `Location` is the address
 * of the message where the gateway serves that.
 */
export function answerByMessage(operation: Operation, { services, registry, base }: AnswerPorts): Answerer {
  const isShown = registry.services.get(SERVICE)?.active === true;
  return {
    async answer(input, call, as) {
      const { user, requestId, signal, takeEffect } = call;
      const connector = as === 'soap' ? 'soap' : 'rest';
      const message = await services.messages.publish(operation, input, {
        user,
        requestId,
        signal,
        takeEffect,
        connector,
      });
      const address = `${base()}/RESTListeningConnector/${SERVICE}/messages/${message}`;
      return { kind: 'value', value: { message }, headers: isShown ? { Location: address } : {} };
    },
  };
}

/** The id of the message in the reply of an operation that published it. */
export function publishedBy(outcome: Outcome): string | undefined {
  if (outcome.kind !== 'value' || typeof outcome.value === 'string') return undefined;
  return outcome.value.message as string;
}
