import { parseMediaType } from '../media-type.ts';
import { SOAP_MEDIA_TYPES, SOAP_VERSIONS, type SoapVersion } from './version.ts';

// The version of SOAP and the action that the headers of a call declare. SOAP 1.1 section 6.1.1; SOAP 1.2 part 2
// section 7.1.4, with RFC 3902.

interface SoapIntent {
  readonly version: SoapVersion;
  /** Without its quotes; may be empty. `undefined` when no header names an action. */
  readonly action: string | undefined;
}

/** Why a header makes a call impossible to send. */
interface IntentFault {
  readonly header: 'Content-Type' | 'SOAPAction';
  /** Follows the header's name in the message. */
  readonly reason: string;
}

/**
 * A call of SOAP 1.1 has its action in SOAPAction, one of SOAP 1.2 in its media type; a definition may use either for
 * both.
 */
export function readIntent(contentType: string | undefined, soapAction: string | undefined): SoapIntent | IntentFault {
  const type = parseMediaType(contentType ?? SOAP_MEDIA_TYPES['1.1']);
  const version = SOAP_VERSIONS.find((each) => SOAP_MEDIA_TYPES[each] === type?.essence);
  if (type === undefined || version === undefined)
    return typeFault('must be text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2)');
  const inType = type.parameters.get('action');
  if (inType !== undefined && version === '1.1')
    return typeFault('has an action, which text/xml does not have: write it as SOAPAction');
  if ((contentType?.match(/;\s*action\s*=/gi)?.length ?? 0) > 1) return typeFault('has more than one action');
  if (inType !== undefined && !isSendable(inType)) return typeFault(`has an action that ${UNSENDABLE}`);
  const unsent = [...type.parameters.keys()].find((name) => name !== 'charset' && name !== 'action');
  if (unsent !== undefined) return typeFault(`has the parameter ${unsent}, which is not sent: leave it out`);
  const inHeader = soapAction === undefined ? undefined : (/^"(.*)"$/s.exec(soapAction)?.[1] ?? soapAction);
  if (inHeader !== undefined && !isSendable(inHeader)) return { header: 'SOAPAction', reason: UNSENDABLE };
  if (inType !== undefined && inHeader !== undefined && inType !== inHeader)
    return {
      header: 'SOAPAction',
      reason: `is ${inHeader}, and the action of Content-Type is ${inType}: leave one out`,
    };
  return { version, action: inHeader ?? inType };
}

/** The action is sent in quotes, and receivers disagree about escapes inside them. */
const isSendable = (action: string): boolean => /^[ !#-[\]-~]*$/.test(action);

const UNSENDABLE = "holds a quote, a backslash, or a character that is not visible ASCII, and can't be sent";

function typeFault(reason: string): IntentFault {
  return { header: 'Content-Type', reason };
}
