/** How a change affects the other side of an exchange, the mildest first. */
export const VERDICTS = ['documentation', 'compatible', 'may-break', 'breaking'] as const;
export type Verdict = (typeof VERDICTS)[number];

/**
 * What the other side speaks. `json`: REST, with its URLs and headers, and bodies in JSON. `xml`: SOAP, and bodies in XML.
 * `clients`: code that was generated from a contract, where that breaks although the messages of the other two remain valid.
 */
export const LANGUAGES = ['json', 'xml', 'clients'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A language of messages. Generated code speaks one of them. */
export type WireLanguage = Exclude<Language, 'clients'>;

/**
 * Where a change happens, which decides its direction. Callers send a `request` and read a `reply`; systems that are called read
 * what is `sent` and write what is `received`. Everything else concerns `callers` or the `called` as such.
 */
export const ROLES = ['callers', 'request', 'reply', 'called', 'sent', 'received'] as const;
export type Role = (typeof ROLES)[number];

/** Whom a change affects. */
export type Audience = 'callers' | 'called';

export function audienceOf(role: Role): Audience {
  return role === 'callers' || role === 'request' || role === 'reply' ? 'callers' : 'called';
}

const LETTERS = { B: 'breaking', M: 'may-break', C: 'compatible', D: 'documentation' } as const;
type Letter = keyof typeof LETTERS;

/** The verdicts for JSON, XML and generated clients, in this order: `BCM` is breaking, compatible, may-break. */
export type Letters = `${Letter}${Letter}${Letter}`;

export type Verdicts = Readonly<Partial<Record<Language, Verdict>>>;

export function verdictsOf(letters: Letters): Readonly<Record<Language, Verdict>> {
  const [json, xml, clients] = Array.from(letters, (letter) => LETTERS[letter as Letter]);
  return { json, xml, clients } as Readonly<Record<Language, Verdict>>;
}

/** The verdict of the language that suffers most. */
export function worstOf(verdicts: Verdicts): Verdict {
  return VERDICTS[Math.max(0, ...Object.values(verdicts).map((each) => VERDICTS.indexOf(each)))] as Verdict;
}

/** Whether a verdict is as bad as another one, or worse. */
export function isAtLeast(verdict: Verdict, least: Verdict): boolean {
  return VERDICTS.indexOf(verdict) >= VERDICTS.indexOf(least);
}
