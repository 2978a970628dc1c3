import { expect, it } from 'vitest';
import { problemJson, problemMediaType } from '../../src/wire/problem.ts';

it('writes the members of RFC 9457 and ours', () => {
  expect(problemMediaType).toBe('application/problem+json');
  const text = problemJson({
    status: 404,
    title: 'Not Found',
    detail: 'There is no "x".',
    code: 'NOT_FOUND',
    requestId: 'r1',
  });
  expect(JSON.parse(text)).toStrictEqual({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: 'There is no "x".',
    code: 'NOT_FOUND',
    requestId: 'r1',
  });
});

it('leaves out what is not there', () => {
  const text = problemJson({
    status: 500,
    title: 'Internal Server Error',
    detail: '',
    code: 'INTERNAL',
    requestId: 'r2',
  });
  expect(text).toBe(
    '{"type":"about:blank","title":"Internal Server Error","status":500,"code":"INTERNAL","requestId":"r2"}',
  );
});
