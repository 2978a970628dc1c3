/** A process that does nothing. */
export default {
  run: (): 'success' => 'success',
};
