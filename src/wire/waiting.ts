/** The longest delay of a timer, in milliseconds: 24 days. Node fires at once when it is longer. */
export const LONGEST_TIMER = 2 ** 31 - 1;
