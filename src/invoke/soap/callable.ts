import type { SoapBinding } from '../../binding/soap/soap.ts';
import type { SoapConsumer } from '../../model/consumer.ts';
import type { SoapVersion } from '../../wire/soap/version.ts';
import type { Mask } from '../mask.ts';

/** An operation over SOAP, compiled once. */
export interface SoapCallable {
  readonly operation: SoapConsumer;
  readonly binding: SoapBinding;
  readonly version: SoapVersion;
  /** Without quotes; empty for none. */
  readonly action: string;
  /** What every request carries, above what its message says. */
  readonly headers: Readonly<Record<string, string>>;
  readonly mask: Mask;
}
