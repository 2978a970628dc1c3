/** Takes a message and does nothing with it: what is measured is the delivery. */
export default {
  onMessage(): void {},
};
