import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { gatewayText } from '../support/project.ts';
import { ENGINES, type MessageGateway, startMessages } from './project.ts';

const DOCUMENTS = `document: ORDER
fields: { NUMBER: { type: integer, required: true }, CALLBACK: string(300) }
---
document: RESULT
fields: { PRICE: decimal(8.2) }
---
document: REFUSAL
fields: { CODE: { type: text, default: "{fault.code}" }, TEXT: { type: text, default: "{fault.message}" } }
`;

/** Answers orders later, and sends what it answers. */
const SHOP = {
  'definitions/gateway.yaml': gatewayText(),
  'definitions/orders.yaml': `queue: ORDERS
---
${DOCUMENTS}---
{ node: ASKER, base: "\${env:ASKER_URL}" }
---
service: Orders.v1
public: true
operations:
  ORDER_PLACE:
    post: orders
    soap: true
    request: ORDER
    response: RESULT
    fault: REFUSAL
    queue: ORDERS
    reply-to: { nodes: ASKER, field: CALLBACK }
---
{ subscription: ANSWERS, operation: ORDER_PLACE, handler: answers, gives-reply: true }
`,
  'src/handlers/answers.ts': `import { Fault } from 'signalbox';
export default {
  async onMessage({ NUMBER }) {
    if (NUMBER < 0) throw Fault.custom('SOLD_OUT', 409, 'Number ' + NUMBER + ' is sold out.');
    return { PRICE: NUMBER + '.50' };
  },
};
`,
};

/** Asks the shop over SOAP and over REST, and awaits its replies. */
const ASKER = {
  'definitions/asked.yaml': `queue: ASKED
---
${DOCUMENTS}---
{ node: SHOP, base: "\${env:SHOP_URL}/gateway/PeopleSoftServiceListeningConnector" }
---
{ node: SHOP_REST, base: "\${env:SHOP_URL}/gateway/RESTListeningConnector" }
---
service: Asked.v1
permission: EVERYTHING
operations:
  ASK: { post: ask, request: ORDER, queue: ASKED }
---
service: Orders.v1
target: SHOP
permission: EVERYTHING
operations:
  ORDER_PLACE: { soap: true, request: ORDER, response: RESULT, fault: REFUSAL }
---
service: RestOrders.v1
target: SHOP_REST
permission: EVERYTHING
operations:
  REST_ORDER: { post: Orders.v1/orders, request: ORDER, response: RESULT }
---
{ subscription: BY_SOAP, operation: ASK, call: ORDER_PLACE, handler: noted, awaits-reply: { within: 1 h } }
---
{ subscription: BY_REST, operation: ASK, call: REST_ORDER, handler: noted-too, awaits-reply: { within: 1 h, to: CALLBACK } }
`,
  'definitions/data/tables.sql': 'create table noted (message varchar(36), way varchar(10), what varchar(50));\n',
  ...Object.fromEntries(
    [
      ['noted', 'soap'],
      ['noted-too', 'rest'],
    ].map(([file, way]) => [
      `src/handlers/${file}.ts`,
      `export default {
  async onReply({ PRICE }, { execute, messageId }) {
    await execute('insert into noted values (:m, :w, :p)', { m: messageId, w: '${way}', p: String(PRICE) });
  },
  async onFault({ document, detail }, { execute, messageId }) {
    const text = document === undefined ? detail : document.CODE;
    await execute('insert into noted values (:m, :w, :t)', { m: messageId, w: '${way}', t: text.slice(0, 50) });
  },
};
`,
    ]),
  ),
};

describe.each(ENGINES)('a gateway that asks another one, on %s', (kind) => {
  let asker: MessageGateway;
  let shop: MessageGateway;

  beforeAll(async () => {
    const port = await freePort();
    shop = await startMessages(kind, SHOP, {
      ASKER_URL: `http://127.0.0.1:${port}/gateway/ReplyListeningConnector`,
    });
    const SHOP_URL = new URL(shop.gateway.address).origin;
    asker = await startMessages(kind, ASKER, { PORT: String(port), SHOP_URL });
  });
  afterAll(async () => {
    await asker?.stop();
    await shop?.stop();
  });

  it.each([
    [7, { soap: '7.5', rest: '7.5' }, 'Done'],
    [-7, { soap: 'SOLD_OUT', rest: 'Number -7 is sold out.' }, 'Error'],
  ])('gets the answer to %d over SOAP and over REST', async (NUMBER, expected, status) => {
    const message = await asker.publish('Asked.v1/ask', { NUMBER });
    await asker.delivered(message, 'BY_SOAP');
    await asker.delivered(message, 'BY_REST');
    const rows = await asker.rows(`select way, what from noted where message = '${message}' order by way`);
    expect(Object.fromEntries(rows.map(({ way, what }) => [way, String(what).replace(/0$/, '')]))).toEqual(expected);
    const answered = `select id from signalbox_delivery where subscription = 'ANSWERS' and status = '${status}'`;
    expect(await shop.rows(answered)).toHaveLength(2);
    const sent = await shop.found(
      'the replies to be sent',
      `select message from signalbox_delivery where subscription = '~REPLY~ORDER_PLACE~ASKER' and status = 'Done'`,
      2,
    );
    expect(sent.length).toBeGreaterThanOrEqual(2);
  });
});
