/** A caller's text inside a message: bounded, and nothing in it but visible ASCII. */
export function quote(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 80)}...` : text;
  return JSON.stringify(shown.replace(/[^\x20-\x7e]/g, '?'));
}
