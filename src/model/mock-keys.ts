/** The keys of a part of a file in `mocks/`, with what editors show. */
export const MOCK_KEYS = {
  mock: 'The operation that is answered, provided or called.',
  description: 'What the answers are for. It is not read.',
  answers: 'The answers, in the order in which they are tried: the first that fits, and is not used up.',
} as const;

/** The keys of an answer. */
export const ANSWER_KEYS = {
  when: 'Values that the input has, by the names of fields; of a list of values any one. Without it, every input.',
  times: 'The number of calls that it answers; all by default.',
  delay: 'Time before the reply, up to 1 h.',
  status: 'The status of the reply.',
  headers: 'Headers of the reply.',
  reply:
    'The value of the reply, by the names of fields. Without it and `fault`, one is made from the definition of the operation.',
  fault: 'In place of a reply: a status from 400 to 599, a code such as NOT_FOUND, or a map.',
} as const;

/** The keys of a fault that is a map. */
export const FAULT_KEYS = {
  code: 'A word in capitals; that of the catalogue for the status by default.',
  status: 'A status from 400 to 599; that of the catalogue for the code by default.',
  message: 'The message of the fault.',
  headers: 'Headers of the reply.',
} as const;
