import { brokerDetail } from '../../binding/soap/soap.ts';
import { Fault } from '../../model/fault.ts';
import { isMessageScheme } from '../../model/security.ts';
import { type SoapFaultContent, writeFault } from '../../wire/soap/fault.ts';
import { SoapError } from '../../wire/soap/message.ts';
import { SOAP_CONTENT_TYPES, type SoapVersion } from '../../wire/soap/version.ts';
import { WSSE } from '../../wire/soap/wsse-names.ts';
import type { WrittenFault } from '../exchange/refuse.ts';
import type { Compiled } from '../operations.ts';

/** WSS: SOAP Message Security 1.1.1 section 12; the same whatever is wrong with credentials in a message. */
const FAILED_AUTHENTICATION = { local: 'FailedAuthentication', namespace: WSSE };

/** Statuses of the transport, which clients act on before they read a body: credentials, method, size, media type, when to retry. */
const KEPT: ReadonlySet<number> = new Set([401, 405, 413, 415, 429, 503]);

/**
 * A fault in an envelope: in `detail` the operation's fault document, or the broker's own words. The HTTP status is 500 in
 * SOAP 1.1 (section 6.2; WS-I Basic Profile 1.1, R1126: clients that hold to it drop a fault with another status). In SOAP
 * 1.2 it is 400 for a fault that the sender can mend, else 500 (part 2, table 20). A status of the transport is kept.
 */
export function writeSoapFault(fault: Fault, version: SoapVersion, compiled: Compiled | undefined): WrittenFault {
  const content = contentOf(fault, compiled);
  const { code } = content;
  const status = KEPT.has(fault.status) ? fault.status : version === '1.2' && code === 'Client' ? 400 : 500;
  return { contentType: SOAP_CONTENT_TYPES[version], text: writeFault(version, content), status };
}

function contentOf(fault: Fault, compiled: Compiled | undefined): SoapFaultContent {
  const { cause, message: reason } = fault;
  // What is wrong with a header or the envelope is not told in the detail (SOAP 1.1 section 4.4).
  if (cause instanceof SoapError && cause.code !== 'Client')
    return { code: cause.code, reason, notUnderstood: cause.notUnderstood };
  const detail = compiled?.soap?.writeFaultDetail(fault) ?? brokerDetail(fault);
  const isInside = fault.code === 'UNAUTHENTICATED' && compiled?.operation.requires.some(isMessageScheme);
  const subcode = isInside ? { subcode: FAILED_AUTHENTICATION } : {};
  return { code: fault.status < 500 ? 'Client' : 'Server', ...subcode, reason, detail };
}

/** What is wrong with an envelope, as the fault that says so. */
export function faultOfEnvelope(error: unknown): unknown {
  if (!(error instanceof SoapError)) return error;
  const { code, reason, notUnderstood } = error;
  if (code === 'VersionMismatch') return Fault.of('VERSION_MISMATCH', { reason }, { cause: error });
  if (code === 'MustUnderstand') {
    const headers = notUnderstood.map(({ namespace, local }) => `{${namespace}}${local}`).join(', ');
    return Fault.of('NOT_UNDERSTOOD', { headers }, { cause: error });
  }
  return Fault.of('BAD_BODY', { reason: `its envelope is wrong: ${reason}` }, { cause: error });
}
