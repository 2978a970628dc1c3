// Start tags of a well-formed XML 1.0 text, for changes that otherwise keep it as written.

/** A start tag, or the tag of an empty element. Positions are offsets in the text. */
interface Tag {
  /** Including the prefix. */
  readonly name: string;
  readonly local: string;
  /** The text between the name and the end. */
  readonly rest: string;
  readonly empty: boolean;
  readonly start: number;
  /** The offset after `>`. */
  readonly end: number;
}

/** The beginnings and ends of markup other than tags. */
const OTHERS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** Every start tag in order; comments, CDATA sections and processing instructions are skipped. */
export function* startTags(xml: string): Generator<Tag> {
  let end = 0;
  for (let start = xml.indexOf('<'); start !== -1; start = xml.indexOf('<', end)) {
    const other = OTHERS.find(([opening]) => xml.startsWith(opening, start));
    if (other !== undefined) {
      end = behind(xml, other[1], start + other[0].length);
      continue;
    }
    end = endOfMarkup(xml, start);
    if (xml[start + 1] !== '/') yield readTag(xml, start, end);
  }
}

/** The index after the `>` that is not in an attribute's value. */
function endOfMarkup(xml: string, start: number): number {
  const stop = /[>"']/g;
  for (let at = start; ; ) {
    stop.lastIndex = at;
    const found = stop.exec(xml);
    if (found === null) return xml.length;
    if (found[0] === '>') return stop.lastIndex;
    at = behind(xml, found[0], stop.lastIndex);
  }
}

function behind(xml: string, wanted: string, from: number): number {
  const at = xml.indexOf(wanted, from);
  return at === -1 ? xml.length : at + wanted.length;
}

function readTag(xml: string, start: number, end: number): Tag {
  const empty = xml[end - 2] === '/';
  const inside = xml.slice(start + 1, end - (empty ? 2 : 1));
  const blank = inside.search(/[ \t\r\n]/);
  const name = blank === -1 ? inside : inside.slice(0, blank);
  return {
    name,
    local: name.slice(name.indexOf(':') + 1),
    rest: inside.slice(name.length),
    empty,
    start,
    end,
  };
}

/** Attributes by their names with prefixes. Values are as written. */
export function attributesOf({ rest }: Tag): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of rest.matchAll(/\s([^\s=]+)\s*=\s*("[^"]*"|'[^']*')/g))
    found.set(name, value.slice(1, -1));
  return found;
}

/** The end of an empty element; `undefined` when the element has content. */
export function endOfTag(xml: string, { name, empty, end }: Tag): number | undefined {
  if (empty) return end;
  const close = xml.indexOf('</', end);
  if (close === -1 || xml.slice(end, close).trim() !== '' || !xml.startsWith(name, close + 2)) return undefined;
  return behind(xml, '>', close);
}
