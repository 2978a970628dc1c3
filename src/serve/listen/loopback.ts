/** Whether an address is one that only this machine reaches: 127.0.0.0/8 or ::1 (RFC 1122 3.2.1.3, RFC 4291 2.5.3). */
export function isLoopback(address: string | undefined): boolean {
  // A call without a socket is made inside this process.
  if (address === undefined) return true;
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return plain === '::1' || plain === 'localhost' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}
