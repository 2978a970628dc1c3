import { describe, expect, it } from 'vitest';
import {
  memberOf,
  readTraceparent,
  readTracestate,
  withMember,
  writeTraceparent,
} from '../../src/wire/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('a traceparent (W3C Trace Context, section 3.2)', () => {
  it.each([
    [`00-${TRACE}-${PARENT}-01`, 1],
    [`00-${TRACE}-${PARENT}-00`, 0],
    [`00-${TRACE}-${PARENT}-03`, 3],
    // Flags that no version knows yet are not passed on.
    [`00-${TRACE}-${PARENT}-ff`, 3],
    [`cc-${TRACE}-${PARENT}-01`, 1],
    [`cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, 1],
  ])('%s is valid', (text, flags) => {
    const found = readTraceparent(text);
    expect(found).toEqual({ traceId: TRACE, parentId: PARENT, flags });
    expect(found && writeTraceparent(found)).toBe(`00-${TRACE}-${PARENT}-0${flags}`);
  });

  it.each([
    '',
    `ff-${TRACE}-${PARENT}-01`,
    `0-${TRACE}-${PARENT}-01`,
    `.0-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `00-${TRACE}1-${PARENT}-01`,
    `00-${TRACE}-${PARENT.slice(1)}-01`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}-.0`,
    `00-${TRACE}-${PARENT}-001`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-01-`,
    `cc-${TRACE}-${PARENT}-01.more`,
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01-x, cc-${TRACE}-${PARENT}-01-x`,
    `00-${TRACE}-${PARENT}-01\n`,
  ])('%j is not', (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });
});

describe('a tracestate (section 3.3)', () => {
  const members = (count: number, value = '1') => Array.from({ length: count }, (_, n) => `k${n}=${value}`);

  it.each([
    ['a=1,b=2', 'a=1,b=2'],
    [' a=1 \t, \tb=2,,', 'a=1,b=2'],
    ['t61rcwkgmzE@vendor=1', undefined],
    ['0t@vendor=x y', '0t@vendor=x y'],
    [`${'z'.repeat(256)}=1`, `${'z'.repeat(256)}=1`],
    [`${'t'.repeat(241)}@${'v'.repeat(14)}=1`, `${'t'.repeat(241)}@${'v'.repeat(14)}=1`],
    [members(32).join(','), members(32).join(',')],
  ])('%j is sent on', (text, sent) => {
    expect(readTracestate(text)).toBe(sent);
  });

  it.each([
    '',
    ' , ',
    'a',
    'a=',
    '=1',
    'a =1',
    'A=1',
    'a.b=1',
    'foo@=1,bar=2',
    '@foo=1,bar=2',
    'foo@@bar=1',
    'foo@bar@baz=1',
    'a=1=2',
    'a=é',
    'a=1,a=1',
    `${'z'.repeat(257)}=1`,
    `${'t'.repeat(242)}@v=1`,
    `t@${'v'.repeat(15)}=1`,
    members(33).join(','),
  ])('%j is not', (text) => {
    expect(readTracestate(text)).toBeUndefined();
  });

  it('loses whole members beyond 512 characters, the long ones first', () => {
    const long = `long=${'x'.repeat(200)}`;
    expect(readTracestate(`${long},a=1`)).toBe(`${long},a=1`);
    expect(readTracestate([long, ...members(5, 'y'.repeat(70))].join(','))).toBe(members(5, 'y'.repeat(70)).join(','));
    expect(readTracestate(members(12, 'y'.repeat(70)).join(','))).toBe(members(6, 'y'.repeat(70)).join(','));
  });

  it('takes a member of ours in first place, within its limits, once', () => {
    expect(withMember(undefined, 'box', 'h:1')).toBe('box=h:1');
    expect(withMember('a=1,box=h:1,boxes=2', 'box', 'h:2')).toBe('box=h:2,a=1,boxes=2');
    expect(withMember(members(32).join(','), 'box', 'h:2')).toBe(['box=h:2', ...members(31)].join(','));
    const long = withMember(members(7, 'y'.repeat(69)).join(','), 'box', 'h:2');
    expect(long).toBe(['box=h:2', ...members(6, 'y'.repeat(69))].join(','));
    expect([memberOf(long, 'box'), memberOf(long, 'bo'), memberOf(undefined, 'box')]).toEqual([
      'h:2',
      undefined,
      undefined,
    ]);
  });
});
