import type { ProcessContext, WorkContext } from '../model/handler.ts';
import type { Process } from '../model/process.ts';
import type { Redactor } from '../model/redactor.ts';
import type { RunningLog } from './message-log.ts';

interface RunningFacts extends Pick<ProcessContext, 'instance' | 'runControl' | 'attempt' | 'report'> {
  readonly process: Process;
  readonly log: RunningLog;
  readonly redactor: Redactor;
  /** Ends the request with success in the transaction of the work. */
  readonly complete: ProcessContext['complete'];
}

interface Running {
  readonly context: ProcessContext;
  /** Closes the context; `why` completes the error message for code that still uses it. */
  end(why: string): void;
}

/** Makes the context for the code of an attempt. It is closed once the attempt is over. */
export function openRunning(facts: RunningFacts, work: WorkContext): Running {
  const { process, instance, runControl, attempt, log, redactor } = facts;
  const { caller, requestId, signal, blobs } = work;
  let over: string | undefined;
  let completing = false;
  const end = (why: string): void => {
    over ??= `process request ${instance} ${why}`;
  };
  const check = (): void => {
    if (over !== undefined) throw new Error(over);
  };
  const context: ProcessContext = {
    ...{ process, instance, runControl, attempt, caller, requestId, signal, blobs },
    progress(percent, text) {
      check();
      if (!(percent >= 0 && percent <= 100)) throw new RangeError(`progress must be from 0 to 100, not ${percent}`);
      log.progress(percent, text === undefined ? undefined : redactor.text(text));
    },
    message(level, text) {
      check();
      log.add(level, redactor.text(text));
    },
    async report(content) {
      check();
      if (completing) throw new Error('report was called after complete');
      await facts.report(content);
    },
    async complete(given) {
      check();
      if (completing) throw new Error('complete was called before');
      completing = true;
      try {
        await facts.complete(given);
        end('has ended');
      } catch (error) {
        // The transaction was rolled back: the code may go on.
        completing = false;
        throw error;
      }
    },
    query: (...given) => work.query(...given),
    call: (...given) => work.call(...given),
    flow: (...given) => work.flow(...given),
    faultOf: (...given) => work.faultOf(...given),
    saveComponent(...given) {
      check();
      return work.saveComponent(...given);
    },
    log: (...given) => work.log(...given),
  };
  return { context, end };
}
