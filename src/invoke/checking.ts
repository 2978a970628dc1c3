import { CodecError } from '../codec/index.ts';
import { type Called, InvokeError } from './error.ts';

/** Makes something of a call's input. @throws InvokeError BAD_INPUT, where a codec complains about it */
export function checking<T>(called: Called, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new InvokeError('BAD_INPUT', called, error.message, { cause: error });
  }
}
