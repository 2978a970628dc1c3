import { Fault } from '../../model/fault.ts';
import { parseForm } from '../../wire/query-string.ts';
import { WSSE } from '../../wire/soap/wsse-names.ts';
import { quote } from '../../wire/words.ts';
import { readXml } from '../../wire/xml/read-xml.ts';
import { escapeText } from '../../wire/xml/text.ts';
import type { SecuredMessage } from './connector-port.ts';
import type { HttpContent, Said } from './http-form.ts';
import { NAMES, note, type Saying } from './http-parameters.ts';

// Forms (application/x-www-form-urlencoded: WHATWG URL, section 5.1), which some clients of the original post to the HTTP
// connector.

/** Most fields of a form. There is no meaning for more. */
const FORM_FIELDS = 100;

/** Form fields that are not in {@link NAMES}: credentials, and fields without a meaning here. */
const OTHER_FIELDS: ReadonlySet<string> = new Set([
  'UserName',
  'Password',
  'ExternalMessageID',
  'NonRepudiation',
  'OrigUser',
  'OrigNode',
  'OrigProcess',
  'OrigTimeStamp',
  'FinalDestination',
  'SubQueue',
]);

/**
 * Reads a posted form: it names the operation, and may contain a user name and password. The request's own fields are in
 * the query of the URL. Clients do not encode every character that they should, which the standard's algorithm tolerates.
 * @throws Fault BAD_BODY for an unknown field, BAD_REQUEST for two different values of one field
 */
export function readPostedForm(text: string, query: string): HttpContent {
  const form = parseForm(text, FORM_FIELDS);
  if (form === undefined)
    throw Fault.of('BAD_BODY', { reason: `it has more than ${FORM_FIELDS} fields (a fixed limit)` });
  const said: Saying = {};
  for (const [name, value] of form) {
    const key = (Object.keys(NAMES) as (keyof Said)[]).find((each) => NAMES[each].includes(name));
    if (key !== undefined) note(said, key, value.trim());
    else if (!OTHER_FIELDS.has(name)) {
      const reason = `${quote(name)} is not a field of a form. The fields of the request belong in the query of the URL`;
      throw Fault.of('BAD_BODY', { reason });
    }
  }
  const user = form.get('UserName') ?? '';
  const secured = user === '' ? undefined : securedOf(user, form.get('Password') ?? '');
  return { said, query: new URLSearchParams(query), ...(secured === undefined ? {} : { secured }) };
}

/**
 * Converts name and password to a UsernameToken as in an envelope, so the same rule applies to both: a scheme of the
 * operation must accept passwords as text, over TLS or from this machine.
 */
function securedOf(user: string, password: string): SecuredMessage {
  const token = `<Username>${escapeText(user)}</Username><Password>${escapeText(password)}</Password>`;
  const security = readXml(`<Security xmlns="${WSSE}"><UsernameToken>${token}</UsernameToken></Security>`);
  return {
    security: [security],
    envelope: security,
    attachments: false,
    goOnWith: () => {
      throw new TypeError('a form was taken for a signed message');
    },
  };
}
