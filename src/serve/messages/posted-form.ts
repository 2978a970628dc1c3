// application/x-www-form-urlencoded (WHATWG URL, section 5.1), as some clients of the original post it to the HTTP connector.
import { Fault } from '../../model/fault.ts';
import { WSSE } from '../../wire/soap/wsse-names.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { quote } from '../exchange/quote.ts';
import type { HttpContent, Said } from './http-form.ts';
import type { SecuredMessage } from './port.ts';

/** Fields that say something of the exchange, by what they say; those that say nothing here are passed over. */
const FIELDS: Readonly<Record<string, keyof Said | undefined>> = {
  Operation: 'operationName',
  OperationName: 'operationName',
  OperationType: 'operationType',
  From: 'from',
  To: 'to',
  UserName: undefined,
  Password: undefined,
  ExternalMessageID: undefined,
  NonRepudiation: undefined,
  OrigUser: undefined,
  OrigNode: undefined,
  OrigProcess: undefined,
  OrigTimeStamp: undefined,
  FinalDestination: undefined,
  SubQueue: undefined,
};

/**
 * Reads a posted form: it names the operation, and may hold a user's name and password; the request's own fields stand in the
 * URL's query. Clients do not encode all that they should, which the standard's reader forgives.
 * @throws Fault BAD_BODY for a field that is not known, BAD_REQUEST for one that says two things
 */
export function readPostedForm(text: string, query: string): HttpContent {
  const form = new URLSearchParams(text);
  const said: Partial<Record<keyof Said, string>> = {};
  for (const [name, value] of form) {
    if (!Object.hasOwn(FIELDS, name)) {
      const reason = `${quote(name)} is not a field of a form; fields of the request stand in the query of the URL`;
      throw Fault.of('BAD_BODY', { reason });
    }
    const key = FIELDS[name];
    const trimmed = value.trim();
    if (key === undefined || trimmed === '') continue;
    if (said[key] !== undefined && said[key] !== trimmed)
      throw Fault.of('BAD_REQUEST', { reason: `its form says two different things for ${name}` });
    said[key] = trimmed;
  }
  const user = form.get('UserName') ?? '';
  const secured = user === '' ? undefined : securedOf(user, form.get('Password') ?? '');
  return { said, query: new URLSearchParams(query), ...(secured === undefined ? {} : { secured }) };
}

/**
 * Name and password as the UsernameToken that they would be in an envelope, so that one rule holds for both: a scheme of the
 * operation takes passwords as text, over TLS or from this machine.
 */
function securedOf(user: string, password: string): SecuredMessage {
  const token = element('UsernameToken', [element('Username', [user]), element('Password', [password])]);
  const security = element('Security', [token]);
  return {
    security: [security],
    envelope: security,
    attachments: false,
    goOnWith: () => {
      throw new TypeError('a form was taken for a signed message');
    },
  };
}

function element(local: string, content: XmlElement['content']): XmlElement {
  return {
    local,
    namespace: WSSE,
    prefix: '',
    attributes: [],
    content,
    line: 0,
    column: 0,
    namespaceOf: () => undefined,
  };
}
