// Start tags of a text that is known to be well-formed XML 1.0, where it is to be changed and otherwise kept as written.

/** A start tag, or the tag of an empty element. Places are offsets in the text. */
export interface Tag {
  /** With the prefix. */
  readonly name: string;
  readonly local: string;
  /** What stands between the name and the end. */
  readonly rest: string;
  readonly empty: boolean;
  readonly start: number;
  /** Behind `>`. */
  readonly end: number;
}

/** What markup begins with, where it is no tag, and ends with. */
const OTHERS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** Every start tag in its order; comments, CDATA sections and processing instructions are passed over. */
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

/** Behind the `>` that stands in no attribute's value. */
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

/** Where an element ends that holds nothing; undefined where it holds something. */
export function endOfTag(xml: string, { name, empty, end }: Tag): number | undefined {
  if (empty) return end;
  const close = xml.indexOf('</', end);
  if (close === -1 || xml.slice(end, close).trim() !== '' || !xml.startsWith(name, close + 2)) return undefined;
  return behind(xml, '>', close);
}
