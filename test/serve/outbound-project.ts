import { gatewayText } from '../support/project.ts';

/** Milliseconds that the gateway below gives to its code and its calls, the first of which loads what makes them. */
export const TIMEOUT = 2000;

const DEFINITIONS = `node: UPSTREAM
base: \${env:UPSTREAM_URL}
retry: { attempts: 1 }
circuit: { failures: 0 }
---
node: HASTY
base: \${env:UPSTREAM_URL}
timeouts: { head: 100 ms }
retry: { attempts: 1 }
---
node: GONE
base: \${env:GONE_URL}
retry: { attempts: 1 }
circuit: { failures: 2, reset: 90 s }
---
node: UNSET
base: \${env:NOT_SET_AT_ALL}
---
permission-list: NOBODY
---
document: SAID
fields: { MESSAGE: { type: text, default: "{fault.message}" }, DETAIL: { type: text, default: "{fault.detail}" }, CODE: { type: string, default: "{fault.code}" } }
---
document: REFUSED
fields: { status: { type: string, fixed: failure }, reason: { type: text, default: "{fault.message}" } }
---
document: NAMED
fields: { NAME: { type: string(20), required: true }, COUNT: integer }
---
document: THING
fields: { NAME: string(20), COUNT: integer, PRICE: decimal(10.2), SECRET: { type: text, sensitive: true } }
---
service: Upstream.v1
target: UPSTREAM
permission: EVERYTHING
fault: REFUSED
operations:
  ITEM_POST: { post: "items/{NAME}", request: { fields: { NAME: string(10), COUNT: integer } }, response: THING }
  JSON_POST: { post: json, request: json, response: json }
  TEXT_POST: { post: text, request: text, response: text }
  CONTENT_POST: { post: content, request: binary, response: binary }
  NOTICE_POST: { post: notices, request: { fields: { NAME: string } }, response: none }
  FILED_POST: { post: "files/{NAME}", request: { fields: { NAME: string, FILE: binary } }, body: FILE, response: THING }
  TOKEN_POST: { post: token, body: none, response: { fields: { token: text, seconds: integer } } }
  GUARDED_GET: { get: "guarded/{TOKEN}/{NAME}", request: { fields: { TOKEN: { type: text, sensitive: true }, NAME: string } }, response: THING }
  HASTY_GET: { target: HASTY, get: slow, response: THING }
  SLOW_GET: { get: slow, response: THING }
  TIMED_GET: { get: slow, response: THING, timeout: 3 s }
  GONE_GET: { target: GONE, get: gone, response: THING }
  UNSET_GET: { target: UNSET, get: unset, response: THING }
  UNSET_POST: { target: UNSET, post: unset, request: json, response: json }
  FORBIDDEN_GET: { permission: NOBODY, get: "forbidden{?TOKEN}", request: { fields: { TOKEN: text } }, response: THING }
  INACTIVE_GET: { active: false, get: inactive, response: THING }
flows:
  guarded:
    - call: TOKEN_POST
      keep: { TOKEN: token }
      for: seconds
      renew-on: 401
    - call: GUARDED_GET
  forbidden:
    - call: TOKEN_POST
      keep: { TOKEN: token }
    - call: FORBIDDEN_GET
---
service: Front.v1
permission: EVERYTHING
fault: SAID
operations:
  ITEM: { post: "items/{NAME}{?WHO}", soap: true, request: { fields: { NAME: { type: text, required: true }, COUNT: integer, WHO: string } }, response: NAMED, call: ITEM_POST }
  NOTED: { post: "noted/{NAME}", request: { fields: { NAME: { type: text, required: true }, COUNT: integer } }, response: { fields: { NAME: string, NOTE: { type: string, required: true, absent: blank } } }, call: ITEM_POST }
  JSON: { post: json, soap: true, request: json, response: json, call: JSON_POST }
  TEXT: { post: text, soap: true, request: text, response: text, call: TEXT_POST }
  CONTENT: { post: content, request: binary, response: binary, call: CONTENT_POST }
  SOAP_CONTENT: { soap: true, request: binary, response: binary, call: CONTENT_POST }
  NOTICE: { post: notices, request: { fields: { NAME: string } }, response: none, call: NOTICE_POST }
  FILED: { put: "files/{NAME}", request: { fields: { NAME: string, FILE: binary } }, body: FILE, response: NAMED, call: FILED_POST }
  FLOW: { get: "flow/{NAME}", request: { fields: { NAME: string } }, response: NAMED, call: Upstream.guarded }
  HASTY: { get: hasty, response: THING, call: HASTY_GET }
  SLOW: { get: slow, response: THING, call: SLOW_GET }
  TIMED: { get: timed, response: THING, call: TIMED_GET }
  GONE: { get: gone, response: THING, call: GONE_GET }
  UNSET: { get: unset, response: THING, call: UNSET_GET }
  UNSET_BODY: { post: unset, request: json, response: json, call: UNSET_POST }
  FORBIDDEN: { get: forbidden, response: THING, call: FORBIDDEN_GET }
  CODE: { post: "code/{KIND}", request: { fields: { KIND: string } }, response: json, handler: code }
  CODE_CONTENT: { post: "code-content/{KIND}", request: { fields: { KIND: string, FILE: binary } }, body: FILE, response: binary, handler: code-content }
`;

/** A project whose operations are answered by another system, at `UPSTREAM_URL`. */
export const OUTBOUND_PROJECT = {
  'definitions/gateway.yaml': gatewayText(`limits: { timeout: ${TIMEOUT} ms }`),
  'definitions/outbound.yaml': DEFINITIONS,
  'src/handlers/code.ts': `export default {
  async onRequest({ KIND }, context) {
    const shown = ({ httpResponseCode, responseStatus, value, body, requestId, attempts, timings }) =>
      JSON.stringify({ httpResponseCode, responseStatus, value, body, requestId, attempts, timed: timings.head > 0 });
    switch (KIND) {
      case 'item': return shown(await context.call('ITEM_POST', { NAME: 'a b', COUNT: 2 }));
      case 'flow': {
        const { value, steps } = await context.flow('Upstream.v1.guarded', { NAME: 'x' });
        return JSON.stringify({ value, steps: steps.map(({ operation }) => operation) });
      }
      case 'refused': return shown(await context.call('ITEM_POST', { NAME: 'refused' }));
      case 'caught':
        try {
          return shown(await context.call('ITEM_POST', { NAME: 'refused' }));
        } catch (error) {
          return JSON.stringify({ name: error.name, fault: context.faultOf('ITEM_POST', error), other: context.faultOf('JSON_POST', error) ?? null });
        }
      case 'own-mistake': return shown(await context.call('ITEM_POST', { NAME: 'much longer than ten' }));
      case 'timeout': return shown(await context.call('ITEM_POST', { NAME: 'slow' }, { timeout: 50 }));
      case 'hangs': return shown(await context.call('ITEM_POST', { NAME: 'slow' }));
      case 'unknown': return shown(await context.call('NO_SUCH', {}));
      case 'unknown-fault': return { name: context.faultOf('NO_SUCH', new Error('any')) };
      case 'local': return shown(await context.call('ITEM', {}));
      case 'inactive': return shown(await context.call('INACTIVE_GET', {}));
      case 'unknown-flow': return shown(await context.flow('Upstream.none', {}));
      case 'forbidden': return shown(await context.call('FORBIDDEN_GET', {}));
      case 'forbidden-flow': return shown(await context.flow('Upstream.forbidden', {}));
      case 'unread': {
        const { value } = await context.call('CONTENT_POST', { content: context.bytes && file('much') });
        return JSON.stringify({ type: value.content.contentType });
      }
    }
  },
};
const file = (text) => ({ contentType: 'text/x-test', again: true, async *stream() { yield new TextEncoder().encode(text); } });
`,
  'src/handlers/code-content.ts': `export default {
  async onRequest({ FILE, KIND }, context) {
    const { value } = await context.call('CONTENT_POST', { content: FILE });
    const { content } = value;
    if (KIND === 'later') throw new Error('after the reply came');
    return context.bytes({ contentType: content.contentType, length: content.length, body: () => content.stream() });
  },
};
`,
};
