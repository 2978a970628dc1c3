import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signalbox } from '../cli/support.ts';
import { HANDLERS, SERVED } from '../serve/soap-styles-project.ts';
import { copySample, type SampleCopy } from '../support/sample.ts';
import { type Answer, type Calls, connectorOf, demoSession, php, runSessions, zeep } from './soap-support.ts';
import { type Served, serve } from './support.ts';

/** The operations of one service have one style, so that a client finds one port for each version of SOAP. */
const definitions = SERVED.replaceAll('permission: EVERYTHING', 'permission: LOCATIONS').replaceAll(
  /(?<=soap: true, )style: (?:rpc|document), /g,
  '',
);

let gateway: Served;
let project: SampleCopy;
beforeAll(async () => {
  project = copySample({ 'definitions/shop.yaml': definitions, ...HANDLERS });
  const { code, stderr } = await signalbox(['generate'], { cwd: project.root });
  if (code !== 0) throw new Error(stderr);
  gateway = await serve(project.root);
});
afterAll(async () => {
  await gateway?.stop();
  project?.remove();
});

/** What zeep gets from a service. */
async function called(
  service: string,
  version: '1.1' | '1.2',
  calls: Calls,
): Promise<Readonly<Record<string, Answer>>> {
  return (await runSessions(zeep, { session: demoSession(gateway, service, version, calls) })).session.answers;
}

describe.skipIf(!zeep.isHere).each(['1.1', '1.2'] as const)(
  `over SOAP %s, ${zeep.name} (needs ${zeep.needs})`,
  (version) => {
    test('calls operations without wrappers, told apart by action or element', async () => {
      const { placed, cancelled, checked, status } = await called('Bare.v1', version, {
        placed: { operation: 'ORDER_PLACE', argument: { NUMBER: 7 } },
        cancelled: { operation: 'ORDER_CANCEL', argument: { NUMBER: 7 } },
        checked: { operation: 'ORDER_CHECK', argument: { NUMBER: 8 } },
        status: { operation: 'STATUS_GET', argument: {} },
      });
      expect(placed?.reply).toEqual({ NUMBER: 7, DONE: 'placed' });
      expect(cancelled?.reply).toEqual({ NUMBER: 7, DONE: 'cancelled' });
      expect(checked?.reply).toBe('8');
      expect(status?.reply).toEqual({ NUMBER: null, DONE: 'open' });
    });

    test('calls operations in rpc/literal', async () => {
      const basket = {
        OWNER: 'Ada',
        ITEMS: { ITEM: [{ CODE: 'A', COUNT: 2 }] },
        NOTE: 'note',
        SHIP: { CITY: 'Bonn' },
      };
      const { saved, echoed, time } = await called('Rpc.v1', version, {
        saved: { operation: 'BASKET_SAVE', argument: basket },
        echoed: { operation: 'TEXT_ECHO', argument: { content: 'text' } },
        time: { operation: 'TIME_GET', argument: {} },
      });
      expect(saved?.reply).toEqual(basket);
      expect(echoed?.reply).toBe('text');
      expect(time?.reply).toBe('2026-11-28T00:00:00+00:00');
    });

    test('sends and gets header blocks', async () => {
      const headers = { Session: { TOKEN: 't' }, Trace: 'abc' };
      const { wrapped } = await called('Headed.v1', version, {
        wrapped: { operation: 'HEADED_SAVE', argument: { NUMBER: 7, _soapheaders: headers } },
      });
      const { bare } = await called('HeadedBare.v1', version, {
        bare: { operation: 'HEADED_BARE', argument: { NUMBER: 7, _soapheaders: headers } },
      });
      expect(wrapped?.reply).toEqual({ header: headers, body: { NUMBER: 7 } });
      expect(bare?.reply).toEqual({ header: headers, body: { NUMBER: 7 } });
    });

    test('gets the faults that the WSDL declares', async () => {
      const { stock, allowed, plain } = await called('Failing.v1', version, {
        stock: { operation: 'BUY', argument: { KIND: 'stock' } },
        allowed: { operation: 'BUY', argument: { KIND: 'allowed' } },
        plain: { operation: 'BUY', argument: { KIND: 'plain' } },
      });
      expect(stock?.fault).toMatchObject({
        reason: 'Only 3 are left.',
        detail: { outOfStock: { LEFT: 3, PIN: '1234' } },
      });
      expect(allowed?.fault?.detail).toEqual({ notAllowed: { REASON: 'night' } });
      expect(plain?.fault?.detail).toEqual({ BUY_FAULT: { MESSAGE: 'Plain.' } });
    });

    test('calls by declared names and actions', async () => {
      const { got, put, touched } = await called('Named.v1', version, {
        got: { operation: 'GetStock', argument: { Code: 'x' } },
        put: { operation: 'PutStock', argument: {} },
        touched: { operation: 'STOCK_TOUCH', argument: { Code: 'x' } },
      });
      expect(got?.reply).toBe('x');
      expect(put?.reply).toBe('put');
      expect(touched?.reply).toBeNull();
    });
  },
);

test.skipIf(!php.isHere)(`rpc/literal and bare, with ${php.name} (needs ${php.needs})`, async () => {
  const session = (service: string, calls: Calls) => ({ ...demoSession(gateway, service, '1.1', calls), binary: [] });
  const { rpc, bare } = await runSessions(php, {
    rpc: session('Rpc.v1', { echoed: { operation: 'TEXT_ECHO', argument: 'text' } }),
    bare: session('Bare.v1', { placed: { operation: 'ORDER_PLACE', argument: { NUMBER: 7 } } }),
  });
  expect(connectorOf(gateway)).toContain('http://');
  expect(rpc.answers.echoed?.reply).toBe('text');
  expect(bare.answers.placed?.reply).toEqual({ NUMBER: 7, DONE: 'placed' });
});
