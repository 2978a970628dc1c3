import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Service } from '../../model/service.ts';
import { positionOf } from '../diagnostic/place.ts';
import { given } from '../given.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import { linkGrants } from '../operation/grants.ts';
import { checkConsumerKeys } from '../operation/keys.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { methodOf } from '../operation/templates.ts';
import { linkRetry } from '../value/retry.ts';
import { linkDuration } from '../value/units.ts';
import { type ConsumerContext, type ConsumerFacts, linkTarget } from './facts.ts';
import { checkCredentialHeader } from './headers.ts';
import { linkRestConsumer } from './rest.ts';
import { linkSoapConsumer } from './soap.ts';

/** Links an operation that calls another system. */
export function linkConsumer(context: ConsumerContext, spot: OperationSpot, service: Service): ConsumerOperation {
  const { linking } = context.documents;
  const method = methodOf(spot);
  checkConsumerKeys(linking, spot, method === undefined ? 'soap' : 'rest');
  const facts = linkFacts(context, spot, service);
  checkCredentialHeader(linking, spot, facts.target);
  if (method === undefined) return linkSoapConsumer(context.documents, spot, facts);
  checkOneWay(linking, spot, method.toLowerCase());
  return linkRestConsumer(context.documents, spot, facts, method);
}

function linkFacts(context: ConsumerContext, spot: OperationSpot, service: Service): ConsumerFacts {
  const { linking } = context.documents;
  const { id, name, declared, override, at } = spot;
  const grants = linkGrants(linking, context, spot, service.delivered);
  return {
    id,
    name,
    service,
    target: linkTarget(linking, spot, context.nodes),
    ...grants,
    active: declared.active !== false && service.active && override?.declared.active !== false,
    ...given({
      description: declared.description,
      timeout: linkDuration(linking, declared.timeout === undefined ? spot.service : declared, 'timeout'),
      retry: linkRetry(spot.inherited('retry')?.value),
      routing: override?.id,
    }),
    at: positionOf(at),
  };
}

/** A call is made over REST or over SOAP, where an operation that is answered here may be offered over both. */
function checkOneWay(linking: Linking, { declared }: OperationSpot, method: string): void {
  if (declared.soap !== false)
    refuseBoth(linking, declared, method, 'soap', 'a call to another system is made over one of them');
}
