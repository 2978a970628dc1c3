import { typeWords } from '../../generate/words.ts';
import { Fault } from '../../model/fault.ts';
import type { Query } from '../../model/query.ts';
import type { DocumentValue } from '../../model/value.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { propose } from '../proposal.ts';

/** The prompts, typed: text from the command line becomes values as text from a URL does. */
export async function readPrompts(query: Query, given: readonly [string, string][]): Promise<DocumentValue> {
  const texts = new Map<string, string>();
  for (const [name, text] of given) {
    checkPrompt(query, name);
    if (texts.has(name)) throw wrongUsage(`prompt ${name} is given twice`);
    texts.set(name, text);
  }
  const { compilePrompts } = await import('../../query/index.ts');
  try {
    return compilePrompts(query).fromTexts(texts);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // In the style of a command's own words: in lower case, without a full stop.
    const said = error.message.replace(/^P/, 'p').replace(/\.$/, '');
    throw new CliFailure(said, { hint: promptsOf(query), exitCode: 2, cause: error });
  }
}

function checkPrompt(query: Query, name: string): void {
  const known = query.prompts.map((prompt) => prompt.name);
  if (known.includes(name)) return;
  throw wrongUsage(`query ${query.id} has no prompt ${name}`, propose(name, known) ?? promptsOf(query));
}

/** `Prompts of X: REGION string(1), required.` */
function promptsOf(query: Query): string {
  if (query.prompts.length === 0) return `Query ${query.id} has no prompts.`;
  const texts = query.prompts.map(
    (prompt) => `${prompt.name} ${typeWords(prompt.type)}${prompt.required ? ', required' : ''}`,
  );
  return `Prompts of ${query.id}: ${texts.join('; ')}.`;
}
