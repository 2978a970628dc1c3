/** The id of the user `nobody`. */
const NOBODY = 65_534;

/** Runs work as a user to whom file modes apply: CI machines often run as root, which can read and write everything. */
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
