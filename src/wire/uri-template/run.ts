// Runs a path program by Thompson's simulation with captures (Pike's machine): every character is looked at once by
// each state at most, so the time is linear in the path whatever the template; no backtracking.

import type { PathProgram } from './program.ts';

/** States in order of preference, each with the captures that led to it. */
interface Threads {
  readonly states: number[];
  readonly captures: Int32Array[];
}

/** @returns start and end of each variable (`-1` where absent), by slot; undefined where the text does not fit */
type PathRunner = (text: string) => Int32Array | undefined;

export function compileRunner(program: PathProgram): PathRunner {
  const { code } = program;
  /** Where in the text each state was entered last. */
  const entered = new Int32Array(code.length);

  /** Follows what takes no character; a state that a preferred way reached already is left to that one. */
  function enter(into: Threads, from: number, at: number, given: Int32Array): void {
    const stack: [number, Int32Array][] = [[from, given]];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const [state, captures] = next;
      const instruction = code[state];
      if (instruction === undefined || entered[state] === at) continue;
      entered[state] = at;
      if (instruction.kind === 'fork') stack.push([instruction.second, captures], [instruction.first, captures]);
      else if (instruction.kind === 'jump') stack.push([instruction.to, captures]);
      else if (instruction.kind === 'save') {
        const saved = captures.slice();
        saved[instruction.slot] = at;
        stack.push([state + 1, saved]);
      } else {
        into.states.push(state);
        into.captures.push(captures);
      }
    }
  }

  function step(now: Threads, character: number, at: number): Threads {
    const next: Threads = { states: [], captures: [] };
    for (let i = 0; i < now.states.length; i++) {
      const state = now.states[i] ?? 0;
      const captures = now.captures[i];
      const instruction = code[state];
      if (captures === undefined || instruction === undefined) continue;
      const takes =
        instruction.kind === 'char'
          ? instruction.code === character
          : instruction.kind === 'except' && !instruction.codes.includes(character);
      if (takes) enter(next, state + 1, at + 1, captures);
    }
    return next;
  }

  return (text) => {
    let threads: Threads = { states: [], captures: [] };
    entered.fill(-1);
    enter(threads, 0, 0, new Int32Array(2 * program.variables.length).fill(-1));
    for (let at = 0; at < text.length; at++) {
      threads = step(threads, text.charCodeAt(at), at);
      if (threads.states.length === 0) return undefined;
    }
    const accepted = threads.states.findIndex((state) => code[state]?.kind === 'accept');
    return accepted === -1 ? undefined : threads.captures[accepted];
  };
}
