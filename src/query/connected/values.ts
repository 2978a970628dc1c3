import { Fault } from '../../model/fault.ts';
import type { Query } from '../../model/query.ts';
import type { Value } from '../../model/value.ts';
import type { Bound } from '../plan/bind.ts';
import { compilePrompts } from '../plan/prompts.ts';
import { canNest, type RenderFormat } from '../render/index.ts';

/** Prompts of members, by the members' ids and the prompts' names. */
type Given = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** Binds the values of one query. @throws Fault */
type Bind = (prompts: Readonly<Record<string, Value>>) => Bound[];

/**
 * Whether a call wants the rows of a query's members.
 * @throws Fault BAD_PARAMETER where there are no members, or the format has no place for their rows
 */
export function runsConnected(
  { query, connected = false }: { readonly query: Query; readonly connected?: boolean },
  format: RenderFormat,
): boolean {
  const refuse = (name: string, reason: string): Fault => Fault.of('BAD_PARAMETER', { name, reason });
  if (connected && query.children.length === 0) throw refuse(query.id, 'is not a connected query');
  if (connected && !canNest(format)) {
    throw refuse(format, 'has no place for the rows of a connected query; json and xmlp have');
  }
  return connected;
}

/** All queries below one, in the order of the tree: a child, its own children, the next child. */
function membersBelow(query: Query): Query[] {
  return query.children.flatMap(({ query: child }) => [child, ...membersBelow(child)]);
}

/**
 * Compiles the binding of the prompts of a connected query's members. One that stands at several places is given its
 * values once; a prompt that is not given has its default.
 * @param compile compiles the binding of one member
 * @returns a function that throws Fault BAD_PARAMETER or MISSING_PARAMETER, which names member and prompt
 */
export function compileMemberValues(query: Query, compile: (member: Query) => Bind): (given: Given) => Bound[][] {
  const members = membersBelow(query).map((member) => ({
    id: member.id,
    prompts: member.prompts,
    read: compilePrompts(member, true),
    bind: compile(member),
  }));
  const ids = new Set(members.map((member) => member.id));
  return (given) => {
    for (const id in given) {
      if (!ids.has(id)) throw Fault.of('BAD_PARAMETER', { name: id, reason: `is not a member of ${query.id}` });
    }
    return members.map(({ id, prompts, read, bind }) => {
      const values = given[id] ?? {};
      for (const { name, required } of prompts) {
        if (required && isMissing(values[name]))
          throw Fault.of('MISSING_PARAMETER', { name: `Prompt ${name} of ${id}` });
      }
      for (const name in values) {
        if (prompts.some((prompt) => prompt.name === name)) continue;
        throw Fault.of('BAD_PARAMETER', { name, reason: `is not a prompt of ${id}` });
      }
      return bind(read.fromValues(values));
    });
  };
}

function isMissing(value: Value): boolean {
  return value === undefined || value === null || value === '';
}
