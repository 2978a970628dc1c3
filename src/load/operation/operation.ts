import type { Document } from '../../model/document.ts';
import type { Role } from '../../model/security.ts';
import type { MediaMessage, Operation, Service, SoapForm } from '../../model/service.ts';
import { isXmlType } from '../../wire/media-type.ts';
import { positionOf } from '../diagnostic/place.ts';
import type { Documents } from '../document/documents.ts';
import { given, type Mutable } from '../given.ts';
import type { Linking } from '../linking.ts';
import type { GrantSources } from '../security/grants.ts';
import type { Callers } from '../security/requires.ts';
import { linkCallLimits } from '../value/rate.ts';
import { linkAs } from './as.ts';
import { checkCallAnswer } from './call.ts';
import { type AnswerSources, type Exchange, linkExchange } from './exchange.ts';
import { checkFault } from './fault.ts';
import { linkGrants } from './grants.ts';
import { checkProviderKeys, checkSoapAlone } from './keys.ts';
import { linkDocument } from './message.ts';
import { checkGuardedClasses, checkReachedPublic } from './public.ts';
import { linkRequires } from './requires.ts';
import { linkRest } from './rest.ts';
import { isFaultless, type RestInput, soapForm, soapName, soapRequest } from './soap.ts';
import type { OperationSpot } from './spot.ts';
import { linkTemplates, methodOf, templateCount } from './templates.ts';
import { linkWrites } from './writes.ts';

/** What operations are linked against. */
export interface OperationContext extends GrantSources, AnswerSources {
  readonly roles: ReadonlyMap<string, Role>;
  readonly callers: Callers;
}

/** Links one operation. Where a part of it can't be told, that has been reported, and the rest is checked all the same. */
export function linkOperation(context: OperationContext, spot: OperationSpot, service: Service): Mutable<Operation> {
  const { documents } = context;
  const { linking } = documents;
  const { id, declared, at } = spot;
  const method = methodOf(spot);
  if (method === undefined) checkSoapAlone(linking, spot);
  checkProviderKeys(linking, spot);
  const templates = method === undefined ? [] : linkTemplates(linking, spot, method);
  const exchange = linkExchange(context, spot, service, method, templates);
  const { answer, responses } = exchange;
  const rest = linkRest(documents, spot, method, exchange, templates);
  const fault = linkFault(documents, spot, method === undefined && isFaultless(linking, spot, responses));
  if (method !== undefined) checkWrapper(spot, linking, responses);
  const grants = linkGrants(linking, context, spot, service.delivered);
  const active = declared.active !== false && service.active;
  const isPublic = grants.public;
  checkAnswer(linking, spot, exchange, { input: rest, isPublic, active });
  const soap = linkSoap(documents, spot, service, rest, exchange.soapResponses ?? responses);
  const forms = { rest: method !== undefined, soap: soap !== undefined, isPublic };
  const operation: Mutable<Operation> = {
    id,
    name: spot.name,
    service,
    ...rest,
    pathName: spot.inherited('alias')?.value ?? service.name,
    responses: responses ?? [],
    status: declared.status ?? (answer.kind === 'component' && answer.action === 'create' ? 201 : 200),
    answer,
    writes: linkWrites(linking, spot, { method, answer, request: rest.request }),
    ...grants,
    requires: linkRequires(linking, context.callers, spot, forms),
    limits: { ...linkCallLimits(linking, spot.above('limits')), ...linkCallLimits(linking, declared.limits) },
    active,
    ...given({
      description: declared.description,
      soap,
      wrapper: declared.wrapper,
      fault,
      as: linkAs(linking, context.roles, spot, answer),
    }),
    at: positionOf(at),
  };
  // A template that was refused has not been removed.
  if (templates.length < templateCount(spot, method)) linking.incomplete.add(operation);
  return operation;
}

/** Holds an operation against what answers it. */
function checkAnswer(
  linking: Linking,
  spot: OperationSpot,
  { answer, request, responses }: Exchange,
  { input, isPublic, active }: { readonly input: RestInput; readonly isPublic: boolean; readonly active: boolean },
): void {
  // With a role, what answers is reached by that, whoever calls.
  if (isPublic && spot.declared.as === undefined) checkReachedPublic(linking, spot, answer);
  if (isPublic) checkGuardedClasses(linking, spot, answer);
  const side = { input, isKnown: request !== undefined, responses, active };
  if (answer.kind === 'call') checkCallAnswer(linking, spot, answer.call, side);
}

function linkSoap(
  documents: Documents,
  spot: OperationSpot,
  service: Service,
  rest: RestInput,
  responses: readonly MediaMessage[] = [],
): SoapForm | undefined {
  const name = soapName(spot.name, spot.declared);
  if (name === undefined) return undefined;
  return soapForm(name, service, soapRequest(documents, { id: spot.soapId, name }, rest, spot), responses);
}

function linkFault(documents: Documents, spot: OperationSpot, faultless: boolean): Document | undefined {
  const fault = faultless ? undefined : linkDocument(documents, spot, 'fault');
  if (fault !== undefined) checkFault(documents.linking, fault, spot.inherited('fault')?.at ?? spot.at);
  return fault;
}

function checkWrapper(
  { declared, id, lacks }: OperationSpot,
  { report, places }: Linking,
  responses: readonly MediaMessage[] | undefined,
): void {
  if (declared.wrapper === undefined || responses === undefined || lacks('response', 'query', 'save', 'read')) return;
  const isJson = ({ mediaType, message }: MediaMessage): boolean =>
    message.kind === 'document' && !isXmlType(mediaType.toLowerCase());
  if (!responses.some(isJson)) {
    report.raise('bad-wrapper', { operation: id }, places.key(declared, 'wrapper'));
  }
}
