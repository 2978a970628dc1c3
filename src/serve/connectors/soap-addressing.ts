// WS-Addressing at the services connector: what a request's header blocks must be, and those of its reply.

import type { SoapProvider } from '../../binding/soap/soap.ts';
import { replyActionIn } from '../../model/service.ts';
import {
  type Addressed,
  addressedAction,
  addressingFaultAction,
  checkAnonymous,
  faultAction,
  faultDetailBlock,
  invalidHeader,
  isAddressingError,
  missingHeader,
  replyBlocks,
} from '../../wire/soap/addressing.ts';
import { SoapError, type SoapMessage } from '../../wire/soap/message.ts';
import type { SoapVersion } from '../../wire/soap/version.ts';
import { quote } from '../../wire/words.ts';
import type { Compiled } from '../operations.ts';
import type { SoapRoutes } from './soap-routes.ts';

/** Whether the called operation sends its reply to the address that a message names. */
export function takesReplyTo({ operation: { answer } }: Compiled): boolean {
  return answer.kind === 'queue' && answer.replyTo !== undefined;
}

/** A call by a message, before its header blocks of WS-Addressing are checked. */
interface Addressing {
  /** `undefined` for a message without such blocks. */
  readonly about: Addressed | undefined;
  /** That of HTTP: SOAPAction, or `action=`. */
  readonly action: string | undefined;
  readonly called: Compiled;
  readonly routes: SoapRoutes;
}

/** @throws SoapError with subcodes of WS-Addressing (SOAP Binding, section 6.4) */
export function checkAddressed(message: SoapMessage, { about, action, called, routes }: Addressing): void {
  const given = about && addressedAction(message);
  if (called.operation.service.addressing === 'required') checkThere(message, about, given, called);
  if (about === undefined) return;
  if (given !== undefined) checkAction(message, given, { action, called, routes });
  if (!takesReplyTo(called)) checkAnonymous(message, about);
}

/** Core, section 3.2: each message has an action, and a request with a reply an id. */
function checkThere(
  message: SoapMessage,
  about: Addressed | undefined,
  action: string | undefined,
  { operation, soap }: Compiled,
): void {
  const why = `and ${operation.service.id} requires WS-Addressing`;
  if (action === undefined || action === '') throw missingHeader(message, 'Action', why);
  const hasReply = soap!.form.response.kind !== 'none';
  if (hasReply && about?.messageId === undefined) throw missingHeader(message, 'MessageID', why);
}

/**
 * The action names the same operation as SOAPAction and the Body. One that nothing has is accepted where the contract has none, as
 * in SOAPAction: clients derive it from their own copy of the WSDL (Metadata, section 4.4.4).
 */
function checkAction(message: SoapMessage, given: string, { action, called, routes }: Omit<Addressing, 'about'>): void {
  if (called.original || given === action || routes.isNamed(called, given)) return;
  if (action === undefined && called.soap!.form.action === '' && !routes.isKnown(given)) return;
  const expected = action === undefined ? `that of ${called.operation.id}` : 'SOAPAction';
  const own = action ?? called.soap!.form.action;
  throw invalidHeader(message, `wsa:Action is ${quote(given)}, and ${expected} is ${quote(own)}`, {
    problem: 'ActionMismatch',
    block: 'Action',
  });
}

/** The header blocks of a reply, as XML; empty for a request that had none. */
export function addressedReply(about: Addressed | undefined, { form, namespace }: SoapProvider): string {
  return about === undefined ? '' : replyBlocks(about, about.reply, { action: replyActionIn(form, namespace) });
}

/** The header blocks of a fault, as XML. @param cause of the fault */
export function addressedFault(about: Addressed | undefined, version: SoapVersion, cause: unknown): string {
  const isOwn = cause instanceof SoapError && isAddressingError(cause);
  const detail = isOwn && version === '1.1' && cause.detail !== undefined ? faultDetailBlock(cause.detail) : '';
  if (about === undefined) return detail;
  const action = isOwn ? addressingFaultAction(about.namespace) : faultAction(about.namespace);
  return replyBlocks(about, about.fault, { action }) + detail;
}
