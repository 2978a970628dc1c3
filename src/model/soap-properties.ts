import type { ConfigText } from './config.ts';

/** Connector properties of a SOAP consumer (specification 4.4), by what they mean. */
export interface SoapProperties {
  /** `MTOM=Y`: binary content travels as attachments rather than as base64 in its place. */
  readonly mtom: boolean;
  /** `SOAPUpContent=Y`: the gateway writes the envelope around the request; `N`: the caller's text is the envelope. */
  readonly upContent: boolean;
  /** `sendUncompressed=N`: the request's body travels in gzip (RFC 1952). */
  readonly compress: boolean;
  /** `PRIMARYURL`: takes the place of the node's address. */
  readonly primaryUrl?: ConfigText;
  /** `SegmentContentType`: media type of segments that do not name their own. */
  readonly segmentContentType?: string;
  /** `SegmentContentTransfer`: how segments travel (RFC 2045 section 6). */
  readonly segmentContentTransfer: 'binary' | 'base64';
}
