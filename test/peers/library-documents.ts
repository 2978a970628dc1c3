import { createHash } from 'node:crypto';
import type { Grants } from './grants.ts';
import { digestPath, type LibraryFacts, libraryHost, uploadPath } from './library-facts.ts';
import { checkHead } from './library-rules.ts';
import { type Answer, header, jsonAnswer, Refusal, type RequestHead } from './message.ts';
import type { Step } from './step.ts';

/** What was uploaded. */
export interface StoredFile {
  readonly site: string;
  readonly folder: string;
  readonly name: string;
  readonly contentType: string;
  /** In bytes. */
  readonly length: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

export interface DocumentOptions {
  readonly facts: LibraryFacts;
  readonly tokens: Grants;
  readonly digests: Grants;
  /** Folders by site. */
  readonly sites: Readonly<Record<string, readonly string[]>>;
  /** Uploads without Content-Length are taken. */
  readonly chunked: boolean;
  readonly store: (file: StoredFile) => void;
}

const ACCEPT = 'application/json;odata=nometadata';
const JSON_TYPE = { contentType: 'application/json;odata=nometadata;streaming=true;charset=utf-8' };

/** Step 2: the form digest (specification 4.3). */
export function digestStep({ facts, tokens, digests, sites }: DocumentOptions): Step {
  return (head) => {
    const site = decoded(/^\/sites\/([^/]+)\/_api\/ContextInfo$/.exec(head.target)?.[1]);
    if (site === undefined || digestPath(site) !== head.target)
      throw new Refusal(400, 'the path is not /sites/{SiteName}/_api/ContextInfo');
    const headers = { Authorization: BEARER, Accept: ACCEPT };
    checkHead(head, { host: libraryHost(facts), headers, body: 'none' });
    checkToken(head, tokens, facts);
    if (sites[site] === undefined) throw new Refusal(404, `there is no site ${site}`);
    return async () => {
      const { value, seconds } = digests.grant();
      const at = `https://${libraryHost(facts)}/sites/${site}`;
      const version = { LibraryVersion: '16.0.25409.12005', SiteFullUrl: at, WebFullUrl: at };
      return jsonAnswer({ FormDigestTimeoutSeconds: seconds, FormDigestValue: value, ...version }, JSON_TYPE);
    };
  };
}

/** Step 3: the upload (specification 4.3). Token and digest are looked at before the body is read. */
export function uploadStep({ facts, tokens, digests, sites, chunked, store }: DocumentOptions): Step {
  return (head) => {
    const { site, folder, name } = placeOf(head);
    const headers = {
      'X-Request-Digest': /^\S/,
      Authorization: BEARER,
      Accept: ACCEPT,
      'Content-Type': /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(; *[\w-]+=("[^"]*"|[^\s;"]+))*$/,
    };
    checkHead(head, { host: libraryHost(facts), headers, body: chunked ? 'any length' : 'length' });
    checkToken(head, tokens, facts);
    if (!digests.isGood(header(head, 'X-Request-Digest') ?? '')) throw new DigestRefusal();
    if (sites[site] === undefined) throw new Refusal(404, `there is no site ${site}`);
    if (!sites[site].includes(folder)) throw new Refusal(404, `there is no folder ${folder}`);
    const contentType = header(head, 'Content-Type') ?? '';
    return async (body) => {
      const { length, sha256 } = await counted(body);
      store({ site, folder, name, contentType, length, sha256 });
      return uploaded({ site, folder, name, length });
    };
  };
}

const BEARER = /^Bearer [\w~+/.-]+=*$/;

function checkToken(head: RequestHead, tokens: Grants, { tenantId }: LibraryFacts): void {
  const [, token = ''] = (header(head, 'Authorization') ?? '').split(' ');
  if (tokens.isGood(token)) return;
  throw new Refusal(401, 'the token is not good', { 'WWW-Authenticate': `Bearer realm="${tenantId}"` });
}

/** As the library tells it: in JSON of its own. */
class DigestRefusal extends Refusal {
  override readonly answer: Answer = jsonAnswer(
    {
      'odata.error': {
        code: '-2130575251, Library.SecurityValidationException',
        message: { lang: 'en-US', value: 'The security validation for this page is invalid.' },
      },
    },
    { ...JSON_TYPE, status: 403 },
  );

  constructor() {
    super(403, 'the digest is not good');
  }
}

/** The place that a target names, where it is written byte for byte as specified. */
function placeOf({ target }: RequestHead): { site: string; folder: string; name: string } {
  const found = UPLOAD.exec(target);
  const [site, folder, name] = [decoded(found?.[1]), unquoted(found?.[2]), unquoted(found?.[3])];
  if (site === undefined || folder === undefined || name === undefined || uploadPath(site, folder, name) !== target)
    throw new Refusal(400, 'the path is not as specified');
  if (folder.split('/').some((segment) => segment === '' || segment === '.' || segment === '..'))
    throw new Refusal(400, 'the folder leads elsewhere');
  return { site, folder, name };
}

const UPLOAD =
  /^\/sites\/([^/]+)\/_api\/web\/GetFolderByServerRelativeURL\('\/sites\/\1\/(.+)\/'\)\/Files\/add\(url='([^/]+)',overwrite=true\)$/;

function decoded(written: string | undefined): string | undefined {
  try {
    return written === undefined ? undefined : decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

const unquoted = (written: string | undefined): string | undefined => decoded(written)?.replaceAll("''", "'");

async function counted(body: AsyncIterable<Buffer>): Promise<{ length: number; sha256: string }> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    hash.update(chunk);
  }
  return { length, sha256: hash.digest('hex') };
}

function uploaded(file: Pick<StoredFile, 'site' | 'folder' | 'name' | 'length'>): Answer {
  return jsonAnswer(
    {
      CheckInComment: '',
      CheckOutType: 2,
      Exists: true,
      Length: String(file.length),
      Level: 1,
      LinkingUri: null,
      MajorVersion: 1,
      Name: file.name,
      ServerRelativeUrl: `/sites/${file.site}/${file.folder}/${file.name}`,
      Title: null,
    },
    JSON_TYPE,
  );
}
