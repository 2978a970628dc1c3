import { expect, test } from 'vitest';
import { findOverlaps } from './overlaps.ts';
import type { Mark } from './project/intervals.ts';

const mark = (what: string, run: string, end: Mark['end'], at: number, pid = 1): Mark => ({ what, run, end, at, pid });

test('runs one after the other overlap in nothing, even where they meet', () => {
  const marks = [
    mark('a', '1', 'begin', 0),
    mark('a', '1', 'end', 10),
    mark('a', '2', 'begin', 10),
    mark('a', '2', 'end', 20),
    mark('b', '3', 'begin', 5),
    mark('b', '3', 'end', 15),
  ];
  expect(findOverlaps(marks, new Map())).toEqual([]);
});

test('a run that begins before another has ended is found, whatever ran between', () => {
  const marks = [
    mark('a', '1', 'begin', 0),
    mark('a', '2', 'begin', 2),
    mark('a', '2', 'end', 3),
    mark('a', '3', 'begin', 8),
    mark('a', '1', 'end', 10),
    mark('a', '3', 'end', 20),
  ];
  expect(findOverlaps(marks, new Map())).toEqual([
    'a ran twice at the same time, for 1 ms',
    'a ran twice at the same time, for 2 ms',
  ]);
});

test('what has no end ended with its process', () => {
  const marks = [mark('a', '1', 'begin', 0, 7), mark('a', '2', 'begin', 50, 8), mark('a', '2', 'end', 60, 8)];
  expect(findOverlaps(marks, new Map([[7, 40]]))).toEqual([]);
  expect(findOverlaps(marks, new Map([[7, 55]]))).toEqual(['a ran twice at the same time, for 5 ms']);
  expect(findOverlaps(marks, new Map())).toEqual(['a ran twice at the same time, for 10 ms']);
});

test('a run that was frozen counts until then, and what begins before that overlaps', () => {
  const marks = [
    mark('a', '1', 'begin', 0, 7),
    mark('a', '2', 'begin', 50, 8),
    mark('a', '2', 'end', 60, 8),
    mark('a', '1', 'end', 70, 7),
  ];
  expect(findOverlaps(marks, new Map(), new Map([[7, [40]]]))).toEqual([]);
  expect(findOverlaps(marks, new Map(), new Map([[7, [55]]]))).toEqual(['a ran twice at the same time, for 5 ms']);
  expect(findOverlaps(marks, new Map(), new Map([[7, [80]]]))).toEqual(['a ran twice at the same time, for 10 ms']);
});
