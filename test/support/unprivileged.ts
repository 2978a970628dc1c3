/** The user that owns nothing. */
const NOBODY = 65_534;

/** Runs work as a user whom file modes bind: root, as whom a CI machine may run, may read and write whatever it likes. */
export async function unprivileged<T>(work: () => T | Promise<T>): Promise<T> {
  const { geteuid, seteuid } = process;
  if (geteuid === undefined || seteuid === undefined || geteuid.call(process) !== 0) return work();
  seteuid.call(process, NOBODY);
  try {
    return await work();
  } finally {
    seteuid.call(process, 0);
  }
}
