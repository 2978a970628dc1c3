/** What the administrator of the library gave out, and where it is. */
export interface LibraryFacts {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly documentHost: string;
  readonly applicationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The secret holds all that a form would take for its own. */
export const FACTS: LibraryFacts = {
  tenantId: '7d1f3a52-63c1-4f0e-9c55-2b8f0c1f9a10',
  tenantName: 'contoso',
  documentHost: 'library.example',
  applicationId: '00000003-0000-0ff1-ce00-000000000000',
  clientId: '0b9c4f7e-5d6a-4a63-8f5e-1c2d3e4f5a6b',
  clientSecret: 'k+9/v=&%41 Ü~',
};

export const LOGIN_HOST = 'login.example';

/** What the sample's definitions take from the environment. */
export function environmentOf(facts: LibraryFacts): Record<string, string> {
  return {
    DOCLIB_AUTH_URL: `https://${LOGIN_HOST}/`,
    DOCLIB_HOST: facts.documentHost,
    DOCLIB_TENANT_ID: facts.tenantId,
    DOCLIB_TENANT_NAME: facts.tenantName,
    DOCLIB_APPLICATION_ID: facts.applicationId,
    DOCLIB_CLIENT_ID: facts.clientId,
    DOCLIB_CLIENT_SECRET: facts.clientSecret,
  };
}

export const libraryHost = ({ tenantName, documentHost }: LibraryFacts): string => `${tenantName}.${documentHost}`;

/** RFC 3986 section 2.3: what stands for itself; all else goes as the octets of its UTF-8. */
export function encoded(text: string): string {
  return [...Buffer.from(text)]
    .map((octet) => {
      const character = String.fromCharCode(octet);
      return /[A-Za-z0-9._~-]/.test(character) ? character : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** Inside the quotes of OData each quote is doubled. */
const quoted = (text: string): string => text.split("'").map(encoded).join("''");

/** The paths of the specification, section 4.3. */
export const tokenPath = (tenantId: string): string => `/${encoded(tenantId)}/tokens/OAuth/2`;

export const digestPath = (site: string): string => `/sites/${encoded(site)}/_api/ContextInfo`;

export function uploadPath(site: string, folder: string, file: string): string {
  const inFolder = folder.split('/').map(quoted).join('/');
  const at = `/sites/${encoded(site)}/_api/web/GetFolderByServerRelativeURL('/sites/${encoded(site)}/${inFolder}/')`;
  return `${at}/Files/add(url='${quoted(file)}',overwrite=true)`;
}

/** The fields of the form of step 1, in their order. */
export function tokenForm(facts: LibraryFacts): readonly (readonly [name: string, value: string])[] {
  const { tenantId, applicationId, clientId, clientSecret } = facts;
  return [
    ['grant_type', 'client_credentials'],
    ['client_id', `${clientId}@${tenantId}`],
    ['client_secret', clientSecret],
    ['resource', `${applicationId}/${libraryHost(facts)}@${tenantId}`],
  ];
}
