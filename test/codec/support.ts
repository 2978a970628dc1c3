import { document, field, listOf as list } from '../support/registry.ts';

export { compound, document, FAILURE, field, listOf as list } from '../support/registry.ts';

/** The words of what a function throws; fails where it throws nothing. */
export function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Error && error.name === 'CodecError') return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const LOC_DTL_VW = document('LOC_DTL_VW', [field('LOCATION', 'string(10)'), field('EFFDT', 'date')]);
const EE_LIST_VW = document('EE_LIST_VW', [field('DEPTNAME', 'string'), field('NAME', 'string')]);

/** The lookup's response, with two fields an entry. */
export const LOC_RESPONSE = document(
  'LOC_RESPONSE',
  [field('LOC_DATA', list(LOC_DTL_VW)), field('EMP_DATA', list(EE_LIST_VW), { absent: 'blank' })],
  { root: true },
);
