import type { ComponentEventName } from '../model/component.ts';
import type { DatabaseEngine } from '../model/gateway.ts';
import type { Rate } from '../model/rate.ts';
import type { LogLevel } from '../model/routing.ts';
import type { Method } from '../model/service.ts';

/** What the JSON Schema lets through, kind by kind: the loader's view of a definition before anything is linked. */
export type Scalar = string | number | boolean;

export type FieldsDeclared = Readonly<Record<string, string | FieldDeclared>>;

export interface InPlaceDeclared {
  readonly description?: string;
  readonly fields: FieldsDeclared;
  readonly open?: boolean;
  readonly xml?: string;
  readonly namespace?: string;
  readonly root?: boolean;
}

export interface FieldDeclared {
  readonly type?: string;
  readonly fields?: FieldsDeclared;
  readonly open?: boolean;
  readonly list?: InPlaceDeclared;
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: Scalar;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly fixed?: Scalar;
  readonly sensitive?: boolean;
  readonly 'any-case'?: boolean;
  readonly example?: Scalar;
  readonly json?: string;
  readonly xml?: string;
  readonly attribute?: boolean;
  readonly namespace?: string;
  readonly flat?: boolean;
  readonly absent?: 'omit' | 'blank';
  readonly url?: 'segment' | 'path' | 'odata' | 'odata-path';
}

export interface GatewayDeclared {
  readonly context?: string;
  readonly listen?: string;
  readonly database?: string | DatabaseDeclared;
  readonly publicUrl?: string;
  readonly 'sample-data'?: string;
  readonly handlers?: string;
  readonly namespace?: string;
  readonly timezone?: string;
  readonly requires?: string | readonly string[];
  readonly tls?: TlsDeclared;
  readonly proxies?: readonly string[];
  readonly audit?: string;
  readonly delivered?: readonly string[];
  readonly contracts?: 'public' | 'private';
  readonly metrics?: { readonly permission: string | readonly string[] };
  readonly cors?: readonly string[];
  readonly limits?: CallLimitsDeclared & {
    readonly body?: string | number;
    readonly timeout?: string;
    readonly rows?: number;
    readonly target?: string | number;
    readonly parameters?: number;
    readonly attachment?: string | number;
    readonly attachments?: number;
    readonly processes?: number;
    readonly queued?: number;
    readonly slowest?: string | number;
    readonly keep?: string;
  };
  readonly properties?: {
    readonly 'ig.MTOM.enablePeopleSoftServiceListeningConnector'?: boolean;
    readonly 'ig.MTOM.enableHttpListeningConnector'?: boolean;
    readonly 'ig.UseDomainName.ExternalOperationNames'?: string | readonly string[];
  };
}

export interface TlsDeclared {
  readonly certificate: string;
  readonly key: string;
  readonly passphrase?: string;
  readonly 'client-ca'?: string;
  readonly minimum?: 'TLSv1.2' | 'TLSv1.3';
}

/** `100 per 1 min`, or a map. */
export type RateDeclared = string | { readonly requests: number; readonly per: string; readonly by?: Rate['by'] };

export interface CallLimitsDeclared {
  readonly rate?: RateDeclared;
  readonly concurrent?: number;
}

export interface DatabaseDeclared {
  readonly url?: string;
  readonly engine?: DatabaseEngine;
  readonly connections?: number;
}

export interface NodeDeclared {
  readonly description?: string;
  readonly base: string | readonly string[];
  readonly 'ca-file'?: string;
  readonly certificate?: CertificateDeclared;
  readonly resolve?: TextsDeclared;
  readonly timeouts?: Readonly<Partial<Record<'connect' | 'head' | 'idle' | 'call', string>>>;
  readonly retry?: RetryDeclared;
  readonly circuit?: { readonly failures?: number; readonly reset?: string };
  readonly redirects?: number;
  readonly credential?: CredentialDeclared;
}

/** Texts by name. */
export type TextsDeclared = Readonly<Record<string, string>>;

export interface CertificateDeclared {
  readonly file: string;
  readonly 'key-file': string;
  readonly passphrase?: string;
}

/** At least one of them, and one alone where nothing is wrong. */
export interface CredentialDeclared {
  readonly basic?: { readonly user: string; readonly password: string };
  readonly bearer?: string;
  readonly 'api-key'?: { readonly header: string; readonly value: string };
  readonly 'client-credentials'?: ClientCredentialsDeclared;
}

export interface ClientCredentialsDeclared {
  readonly 'token-url': string;
  readonly 'client-id': string;
  readonly 'client-secret': string;
  readonly scope?: string;
  readonly parameters?: TextsDeclared;
  readonly authentication?: 'basic' | 'body';
}

export interface RetryDeclared {
  readonly attempts?: number;
  readonly on?: number | readonly number[];
}

export interface QueryDeclared {
  readonly description?: string;
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
  readonly prompts?: FieldsDeclared;
  readonly columns: FieldsDeclared;
  readonly sql: string;
  readonly datasource?: string;
  /** By the child's id: the child's columns, and the parent's that they equal. */
  readonly connects?: Readonly<Record<string, TextsDeclared>>;
  readonly rows?: number;
  readonly timeout?: string;
}

/** A document's id, a document in place, or a word for a message without one. */
export type MessageDeclared = string | InPlaceDeclared;

export interface SharedDeclared {
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
  readonly requires?: string | readonly string[];
  readonly limits?: CallLimitsDeclared;
  readonly request?: MessageDeclared;
  readonly response?: MessageDeclared | Readonly<Record<string, MessageDeclared>>;
  readonly fault?: MessageDeclared;
  readonly template?: MessageDeclared;
  readonly headers?: Readonly<Record<string, string>>;
  readonly alias?: string;
  readonly target?: string;
  readonly properties?: PropertiesDeclared;
  readonly values?: TextsDeclared;
  readonly timeout?: string;
  readonly retry?: RetryDeclared;
}

/** `Y`, `n`, `true`. */
export type FlagDeclared = string | boolean;

export interface PropertiesDeclared {
  readonly METHOD?: Method;
  readonly Method?: Method;
  readonly MTOM?: FlagDeclared;
  readonly SOAPUpContent?: FlagDeclared;
  readonly sendUncompressed?: FlagDeclared;
  readonly Base64toBinary?: FlagDeclared;
  readonly Disable_URLEncodingBody?: string | boolean;
  readonly PRIMARYURL?: string;
  readonly SegmentContentType?: string;
  readonly SegmentContentTransfer?: 'binary' | 'base64';
}

export type OperationDeclared = SharedDeclared & {
  readonly [method in Lowercase<Method>]?: string | readonly string[];
} & {
  readonly description?: string;
  readonly soap?: boolean | string;
  readonly body?: string;
  readonly form?: TextsDeclared;
  readonly wrapper?: 'psnonxml';
  readonly status?: number;
  readonly handler?: string;
  readonly query?: string | Readonly<Record<string, string>>;
  readonly save?: string;
  readonly read?: string;
  readonly call?: string;
  readonly as?: string;
  readonly active?: boolean;
};

export interface ServiceDeclared extends SharedDeclared {
  readonly description?: string;
  readonly namespace?: string;
  readonly default?: boolean;
  readonly active?: boolean;
  readonly cors?: readonly string[];
  readonly deprecated?: boolean | { readonly since?: string; readonly sunset?: string };
  readonly operations: Readonly<Record<string, OperationDeclared>>;
  readonly flows?: Readonly<Record<string, FlowDeclared>>;
}

/** Its steps alone, or with a description. */
export type FlowDeclared =
  | readonly FlowStepDeclared[]
  | { readonly description?: string; readonly steps: readonly FlowStepDeclared[] };

export interface FlowStepDeclared {
  readonly call: string;
  readonly keep?: TextsDeclared;
  readonly for?: string;
  readonly 'renew-on'?: number | readonly number[];
  readonly timeout?: string;
}

export interface DatasourceDeclared {
  readonly description?: string;
  readonly url: string;
  readonly password?: string;
}

export interface ComponentDeclared {
  readonly description?: string;
  readonly table: string;
  readonly shape: string;
  readonly keys: readonly string[];
  readonly lock?: string;
  readonly permission?: string | readonly string[];
  readonly events?: readonly ComponentEventDeclared[];
}

export interface ComponentEventDeclared {
  readonly event: ComponentEventName;
  readonly service: string;
  readonly sequence?: number;
  readonly processing?: 'Pre Process' | 'Post Process';
  readonly enabled?: boolean;
}

export interface RelatedContentDeclared {
  readonly description?: string;
  readonly class: string;
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
}

export interface ProcessDeclared {
  readonly description?: string;
  readonly type: string;
  readonly parameters?: FieldsDeclared;
  readonly handler?: string;
  readonly query?: string;
  readonly retry?: number | { readonly attempts: number; readonly first?: string; readonly longest?: string };
  readonly timeout?: string;
  readonly recurs?: string;
  readonly 'run-as'?: string;
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
}

export interface RecurrenceDeclared {
  readonly description?: string;
  readonly cron: string;
  readonly zone?: string;
}

export interface PermissionListDeclared {
  readonly description?: string;
  readonly operations?: readonly string[];
  readonly queries?: readonly string[];
  readonly processes?: readonly string[];
  readonly components?: readonly string[];
}

/** One of the keys beside the description, where nothing is wrong. */
export interface SchemeDeclared {
  readonly description?: string;
  readonly basic?: object;
  readonly 'api-key'?: { readonly header: string };
  readonly bearer?: BearerDeclared;
  readonly 'client-certificate'?: { readonly header?: string };
  readonly 'username-token'?: {
    readonly passwords?: readonly ('text' | 'digest')[];
    readonly 'max-age'?: string;
  };
  readonly signature?: SignatureDeclared;
}

export interface BearerDeclared {
  readonly issuer: string;
  readonly audience: string | readonly string[];
  readonly jwks: string;
  readonly algorithms?: readonly string[];
  readonly scopes?: readonly string[];
  readonly tolerance?: string;
  readonly user?: string;
  readonly users?: 'known' | 'any';
  readonly claim?: string;
  readonly roles?: Readonly<Record<string, string | readonly string[]>>;
}

export interface SignatureDeclared {
  readonly 'max-age'?: string;
  readonly algorithms?: readonly string[];
  readonly digests?: readonly string[];
  readonly ca?: string;
}

export interface RoleDeclared {
  readonly description?: string;
  readonly 'permission-lists': readonly string[];
}

export interface UserDeclared {
  readonly description?: string;
  readonly password?: string;
  readonly 'api-keys'?: readonly string[];
  readonly certificates?: readonly string[];
  readonly 'shared-secret'?: string;
  readonly roles?: readonly string[];
  readonly sample?: boolean;
}

export interface RoutingDeclared {
  readonly description?: string;
  readonly operation: string;
  /** `target`, as an operation says it: `node` is the kind word of another definition. */
  readonly target?: string;
  readonly headers?: TextsDeclared;
  readonly properties?: PropertiesDeclared;
  readonly active?: boolean;
  readonly log?: LogLevel;
}
