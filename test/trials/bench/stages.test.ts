import { describe, expect, it } from 'vitest';
import { byStage, type Profile } from './stages.ts';

type Call = readonly [name: string, url: string, time: number, ...called: Call[]];

/** A profile of calls, each with the microseconds that it took itself. */
function profileOf(...calls: readonly Call[]): Profile {
  const nodes: Profile['nodes'][number][] = [];
  const samples: number[] = [];
  const timeDeltas: number[] = [];
  const enter = ([functionName, url, time, ...called]: Call): number => {
    const id = nodes.length + 1;
    const children: number[] = [];
    nodes.push({ id, callFrame: { functionName, url }, children });
    samples.push(id);
    timeDeltas.push(time);
    children.push(...called.map(enter));
    return id;
  };
  enter(['(root)', '', 0, ...calls]);
  return { nodes, samples, timeDeltas };
}

const at = (path: string): string => `file:///home/somebody/signalbox/${path}`;

function timesOf(profile: Profile): Record<string, number> {
  return Object.fromEntries(byStage(profile).map(({ stage, time }) => [stage, time]));
}

describe('the stages of a CPU profile', () => {
  it('are those of files, wherever the repository is', () => {
    const profile = profileOf(
      ['findPath', at('src/serve/rest/routes.ts'), 5],
      ['authenticate', at('src/security/authenticator.ts'), 7],
      ['authorise', at('src/security/authorise.ts'), 2],
      ['info', at('node_modules/pino/lib/tools.js'), 9],
      ['onRequest', at('test/trials/bench/project/handlers/lookup-get.ts'), 3],
      ['parserOnIncoming', 'node:_http_server', 4],
    );
    expect(timesOf(profile)).toEqual({
      'log line': 9,
      authenticate: 7,
      'arrive and route': 5,
      "Node's http and streams": 4,
      'answer (the handler)': 3,
      admit: 2,
    });
  });

  it('are those of functions in a file of several stages', () => {
    const profile = profileOf(
      ['authenticate', at('src/serve/stages.ts'), 6],
      ['admit', at('src/serve/stages.ts'), 5],
      ['answer', at('src/serve/stages.ts'), 4],
      ['sent', at('src/serve/stages.ts'), 3],
      ['#encode', at('src/serve/rest/rest.ts'), 2],
      ['#decode', at('src/serve/rest/rest.ts'), 1],
    );
    expect(byStage(profile).map(({ stage }) => stage)).toEqual([
      'authenticate',
      'admit',
      'answer (the handler)',
      'log line',
      'encode',
      'decode',
    ]);
  });

  it('include what a function calls, until that is a stage of its own', () => {
    const profile = profileOf([
      'write',
      at('src/codec/json/write.ts'),
      10,
      ['textOf', at('src/codec/scalar.ts'), 7],
      ['stringify', '', 5, ['toString', 'node:buffer', 1]],
      ['end', 'node:_http_outgoing', 20, ['writeLatin1String', '', 100]],
    ]);
    expect(timesOf(profile)).toEqual({ 'writing to the socket': 100, encode: 23, "Node's http and streams": 20 });
  });

  it('leave out time without work, and that of the profiler', () => {
    const profile = profileOf(
      ['(idle)', '', 1000],
      ['(garbage collector)', '', 8],
      ['(program)', '', 6],
      ['', at('test/trials/bench/profiler.ts'), 4, ['post', 'node:inspector', 500]],
    );
    expect(timesOf(profile)).toEqual({ 'garbage collection': 8, 'native: reading, parser, event loop': 6 });
  });

  it('list their functions by time, each once', () => {
    const write: Call = ['write', at('src/codec/json/write.ts'), 10];
    const [encode] = byStage(profileOf(write, ['send', at('src/serve/exchange/respond.ts'), 15], write));
    expect(encode?.functions).toEqual([
      { name: 'src/codec/json/write.ts write', time: 20 },
      { name: 'src/serve/exchange/respond.ts send', time: 15 },
    ]);
  });
});
