/** Operations over SOAP in every style, and calls of them. */

const DOCUMENTS = `document: ORDER
xml: Order
namespace: urn:orders
fields: { NUMBER: { type: integer, required: true }, NOTE: text }
---
document: RECEIPT
xml: Receipt
namespace: urn:orders
fields: { NUMBER: integer, DONE: string }
---
`;

const HEADED = `document: HEADED
namespace: urn:headed
fields:
  Session: { type: SESSION, header: true, required: true }
  TRACE: { type: string(5), header: true, namespace: urn:trace, xml: Trace }
  NUMBER: { type: integer, required: true }
---
document: SESSION
namespace: urn:session
fields: { TOKEN: text }
---
`;

const NAMED = `service: Named.v1
namespace: http://shop.example.org/stock
`;

const FAULTS = `document: OUT_OF_STOCK
xml: outOfStock
namespace: urn:faults
fields: { LEFT: { type: integer, required: true }, PIN: { type: string, sensitive: true } }
---
document: NOT_ALLOWED
xml: notAllowed
fields: { REASON: text }
---
document: BUY_FAULT
fields: { MESSAGE: { type: text, default: "{fault.message}" } }
---
document: BUYING
fields: { KIND: string }
---
`;

export const SERVED = `${DOCUMENTS}service: Bare.v1
permission: EVERYTHING
wrapped: false
operations:
  ORDER_PLACE: { soap: true, request: ORDER, response: RECEIPT }
  ORDER_CANCEL: { soap: true, request: ORDER, response: RECEIPT }
  ORDER_CHECK:
    soap: true
    request: { xml: Check, fields: { NUMBER: integer } }
    response: { xml: CheckResult, fields: { DONE: string } }
  STATUS_GET: { soap: true, response: RECEIPT }
---
document: BASKET
namespace: urn:baskets
fields:
  OWNER: { type: string(20), required: true }
  ITEMS: list of ITEM
  NOTE: text
  SHIP: { fields: { CITY: string } }
---
document: ITEM
namespace: urn:items
fields: { CODE: string, COUNT: integer }
---
service: Rpc.v1
permission: EVERYTHING
style: rpc
operations:
  BASKET_SAVE: { soap: true, request: BASKET, response: BASKET }
  TEXT_ECHO: { soap: true, request: text, response: text }
  TIME_GET: { soap: true, response: { fields: { NOW: datetime } } }
  WRAPPED: { soap: true, style: document, request: ITEM, response: ITEM }
---
${HEADED}service: Headed.v1
permission: EVERYTHING
operations:
  HEADED_SAVE: { post: headed, soap: true, request: HEADED, response: HEADED }
  HEADED_RPC: { soap: true, style: rpc, request: HEADED, response: HEADED }
---
service: HeadedBare.v1
permission: EVERYTHING
wrapped: false
operations:
  HEADED_BARE: { soap: true, request: HEADED, response: HEADED }
---
${FAULTS}service: Failing.v1
permission: EVERYTHING
faults: { OutOfStock: OUT_OF_STOCK, NotAllowed: NOT_ALLOWED }
operations:
  BUY: { soap: true, request: BUYING, response: text, fault: BUY_FAULT }
  BUY_RPC: { soap: true, style: rpc, handler: buy, request: BUYING, response: text }
---
${NAMED}permission: EVERYTHING
operations:
  STOCK_GET:
    soap: { name: GetStock, action: "http://shop.example.org/stock#get", namespace: "urn:requests", reply-element: Stock }
    request: { fields: { Code: text } }
    response: { fields: { Code: text } }
  STOCK_PUT: { soap: { name: PutStock, action: "" }, handler: stock-get, request: { fields: { Code: text } }, response: text }
  STOCK_TOUCH: { soap: { reply-element: Touched }, request: { fields: { Code: text } }, response: { fields: {} } }
  SAME_A: { soap: { action: "urn:a" }, wrapped: false, handler: stock-get, request: RECEIPT, response: text }
  SAME_B: { soap: { action: "" }, wrapped: false, handler: stock-get, request: RECEIPT, response: text }
`;

const handler = (code: string): string => `export default { onRequest: ${code} };\n`;

export const HANDLERS = {
  'src/handlers/order-place.ts': handler("({ NUMBER }) => ({ NUMBER, DONE: 'placed' })"),
  'src/handlers/order-cancel.ts': handler("({ NUMBER }) => ({ NUMBER, DONE: 'cancelled' })"),
  'src/handlers/order-check.ts': handler('({ NUMBER }) => ({ DONE: String(NUMBER) })'),
  'src/handlers/status-get.ts': handler("() => ({ DONE: 'open' })"),
  'src/handlers/basket-save.ts': handler('(basket) => basket'),
  'src/handlers/text-echo.ts': handler('({ content }) => content'),
  'src/handlers/time-get.ts': handler("() => ({ NOW: '2026-11-28T00:00:00Z' })"),
  'src/handlers/buy.ts': `import { Fault } from 'signalbox';
export default {
  onRequest({ KIND }) {
    if (KIND === 'stock') throw Fault.custom('OutOfStock', 409, 'Only 3 are left.', { document: { LEFT: 3, PIN: '1234' } });
    if (KIND === 'allowed') throw Fault.custom('NotAllowed', 403, 'No.', { document: { REASON: 'night' } });
    if (KIND === 'wrong') throw Fault.custom('OutOfStock', 409, 'Wrong.', { document: { LEFT: 'many' } });
    if (KIND === 'unknown') throw Fault.custom('Other', 409, 'Unknown.', { document: {} });
    throw Fault.custom('PLAIN', 409, 'Plain.');
  },
};
`,
  'src/handlers/stock-get.ts': handler('({ Code }) => (Code === undefined ? "put" : { Code })'),
  'src/handlers/stock-touch.ts': handler('() => ({})'),
  'src/handlers/wrapped.ts': handler('(item) => item'),
  'src/handlers/headed-save.ts': handler('(value) => value'),
  'src/handlers/headed-bare.ts': handler('(value) => value'),
  'src/handlers/headed-rpc.ts': handler('({ NUMBER, Session }) => ({ NUMBER, Session })'),
};

export const CALLED = `${DOCUMENTS}node: SHOP
base: \${env:SHOP_URL}
credential: { basic: { user: demo, password: "\${secret:SHOP_PASSWORD}" } }
retry: { attempts: 1 }
---
service: Bare.v1
permission: EVERYTHING
target: SHOP
wrapped: false
operations:
  ORDER_PLACE: { soap: true, request: ORDER, response: RECEIPT }
  ORDER_CANCEL: { soap: true, request: ORDER, response: RECEIPT }
  STATUS_GET: { soap: true, response: RECEIPT }
---
document: BASKET
fields:
  OWNER: { type: string(20), required: true }
  ITEMS: list of ITEM
  SHIP: { namespace: urn:baskets, fields: { CITY: { type: string, namespace: urn:baskets } } }
---
document: ITEM
namespace: urn:items
fields: { CODE: string, COUNT: integer }
---
service: Rpc.v1
permission: EVERYTHING
target: SHOP
style: rpc
operations:
  BASKET_SAVE: { soap: true, request: BASKET, response: BASKET }
---
${HEADED}service: Headed.v1
permission: EVERYTHING
target: SHOP
operations:
  HEADED_SAVE: { soap: true, request: HEADED, response: HEADED }
  HEADED_BARE: { soap: true, wrapped: false, request: HEADED, response: HEADED, headers: { Content-Type: application/soap+xml } }
  HEADED_RPC: { soap: true, style: rpc, request: HEADED, response: HEADED }
---
${FAULTS}service: Failing.v1
namespace: urn:test:Failing.v1
permission: EVERYTHING
target: SHOP
faults: { OutOfStock: OUT_OF_STOCK, NotAllowed: NOT_ALLOWED }
operations:
  BUY: { soap: true, request: BUYING, response: text, fault: BUY_FAULT, headers: { Content-Type: application/soap+xml } }
---
`;

const NAMED_CALLS = `${NAMED}permission: EVERYTHING
target: SHOP
operations:
  STOCK_GET:
    soap: { name: GetStock, action: "http://shop.example.org/stock#get", namespace: "urn:requests", reply-element: Stock }
    request: { fields: { Code: text } }
    response: { fields: { Code: text } }
  STOCK_TOUCH: { soap: { reply-element: Touched, addressing: true }, request: { fields: { Code: text } }, response: { fields: {} } }
---
`;

export const CALLERS = `${NAMED_CALLS}service: Front.v1
permission: EVERYTHING
operations:
  PLACE: { post: place, request: ORDER, response: RECEIPT, call: ORDER_PLACE }
  CANCEL: { post: cancel, request: ORDER, response: RECEIPT, call: ORDER_CANCEL }
  STATUS: { post: status, response: RECEIPT, call: STATUS_GET }
  BASKET: { post: basket, request: BASKET, response: BASKET, call: BASKET_SAVE }
  HEADED: { post: headed, request: HEADED, response: HEADED, call: HEADED_SAVE }
  HEADED_12: { post: headed-bare, request: HEADED, response: HEADED, call: HEADED_BARE }
  STOCK: { post: stock, request: { fields: { Code: text } }, response: { fields: { Code: text } }, call: STOCK_GET }
  TOUCH: { post: touch, request: { fields: { Code: text } }, response: none, call: STOCK_TOUCH }
  BUY_FOR: { soap: true, request: BUYING, response: text, call: BUY, faults: { OutOfStock: OUT_OF_STOCK } }
  BUY_SEEN: { post: seen, request: BUYING, response: json, handler: seen }
  HEADED_PARTS: { post: headed-rpc, request: HEADED, response: HEADED, call: HEADED_RPC }
`;

export const CALLING_HANDLERS = {
  'src/handlers/seen.ts': `export default {
  async onRequest({ KIND }, context) {
    try {
      return await context.call('BUY', { KIND });
    } catch (error) {
      const { faultName, reason, detail } = error;
      return { faultName, reason, detail, of: context.faultOf('BUY', error) };
    }
  },
};
`,
};
