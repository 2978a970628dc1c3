const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const plain = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] as string);

/** What a browser would send of the form on a page that calls an operation, without pressing a button. */
export function entered(page: string): Record<string, string> {
  const form = /<form [^>]*class="call">.*?<\/form>/s.exec(page)?.[0] ?? '';
  const fields: Record<string, string> = {};
  for (const [tag] of form.matchAll(/<input [^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1];
    if (name === undefined || /type="(?:file|checkbox)"/.test(tag)) continue;
    fields[plain(name)] = plain(/ value="([^"]*)"/.exec(tag)?.[1] ?? '');
  }
  for (const [, name = '', text = ''] of form.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>\n?(.*?)<\/textarea>/gs))
    fields[plain(name)] = plain(text);
  for (const [, name = '', options = ''] of form.matchAll(/<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
    const chosen = /<option value="([^"]*)" selected>/.exec(options) ?? /<option value="([^"]*)"/.exec(options);
    fields[plain(name)] = plain(chosen?.[1] ?? '');
  }
  return fields;
}
