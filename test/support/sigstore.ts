import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { leafCertificate, newPair, rootCertificate, type Pair } from './der.js';

const MINUTE_MS = 60_000;
const LOG_URL = 'https://rekor.example.com';
const ROOT = 'Root of tests';

/** What one signature differs by from a good one. */
export interface SignOptions {
  readonly email?: string;
  readonly oidcIssuer?: string;
  /** When the log took it, as minutes after the certificate began; default 1, of 10. */
  readonly minutes?: number;
  /** Who promised to publish the certificate, and who the signature. */
  readonly certificateLog?: Pair;
  readonly signatureLog?: Pair;
  readonly authority?: Pair;
  /** By which the log signs its checkpoint. */
  readonly logName?: string;
}

/** JSON with its keys in order, as the log signs it. */
function canonical(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))));
}

const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64');
const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();

/** What cosign signs in a layer. */
export function cosignPayload(digest: string, type = 'cosign container image signature'): string {
  const critical = { identity: { 'docker-reference': '' }, image: { 'docker-manifest-digest': digest }, type };
  return JSON.stringify({ critical, optional: null });
}

/** What cosign signs in a bundle. */
export function statement(
  digest: string,
  type = 'https://in-toto.io/Statement/v1',
  predicateType = 'https://sigstore.dev/cosign/sign/v1',
): string {
  const subject = [{ digest: { [digest.split(':')[0] ?? '']: digest.split(':')[1] } }];
  return JSON.stringify({ _type: type, subject, predicateType, predicate: {} });
}

function envelope(payload: string, privateKey: KeyObject): { fields: object; signature: Buffer } {
  const payloadType = 'application/vnd.in-toto+json';
  const signed = `DSSEv1 ${payloadType.length} ${payloadType} ${Buffer.byteLength(payload)} ${payload}`;
  const signature = sign('sha256', Buffer.from(signed), privateKey);
  return {
    signature,
    fields: { payload: base64(payload), payloadType, signatures: [{ sig: base64(signature) }] },
  };
}

/** The bundle that a key of ours signs, as cosign does. */
export function keyBundle(payload: string, privateKey: KeyObject): string {
  return JSON.stringify({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: '' } },
    dsseEnvelope: envelope(payload, privateKey).fields,
  });
}

/** An authority and two logs with keys of our own. They sign what the services of Sigstore would. */
export class Sigstore {
  readonly #authority = newPair();
  readonly #certificateLog = newPair();
  readonly #signatureLog = newPair();
  readonly #from = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60 * MINUTE_MS);

  /** trusted_root.json. */
  trustedRoot(): string {
    const validFor = { start: new Date(this.#from.getTime() - MINUTE_MS).toISOString() };
    const log = ({ spki, id }: Pair): object => ({
      baseUrl: LOG_URL,
      hashAlgorithm: 'SHA2_256',
      publicKey: { rawBytes: base64(spki), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
      logId: { keyId: base64(id) },
    });
    const certificates = [{ rawBytes: base64(this.#root(this.#authority)) }];
    return JSON.stringify({
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [log(this.#signatureLog)],
      ctlogs: [log(this.#certificateLog)],
      certificateAuthorities: [{ uri: 'https://fulcio.example.com', certChain: { certificates }, validFor }],
      timestampAuthorities: [],
    });
  }

  /** The annotations of a signature layer with this payload. */
  annotations(payload: string, options: SignOptions = {}): Record<string, string> {
    const { privateKey, certificate } = this.#signer(options);
    const signature = sign('sha256', Buffer.from(payload), privateKey);
    const body = canonical({
      apiVersion: '0.0.1',
      kind: 'hashedrekord',
      spec: {
        data: { hash: { algorithm: 'sha256', value: sha256(payload).toString('hex') } },
        signature: { content: base64(signature), publicKey: { content: '' } },
      },
    });
    const { promise, ...entry } = this.#entry(body, options);
    return {
      'dev.cosignproject.cosign/signature': base64(signature),
      'dev.sigstore.cosign/certificate': `-----BEGIN CERTIFICATE-----\n${base64(certificate)}\n-----END CERTIFICATE-----\n`,
      'dev.sigstore.cosign/bundle': JSON.stringify({ SignedEntryTimestamp: promise, Payload: entry }),
    };
  }

  /** A bundle with this statement. */
  bundle(payload: string, options: SignOptions = {}): string {
    const { privateKey, certificate } = this.#signer(options);
    const { fields, signature } = envelope(payload, privateKey);
    const spec = {
      payloadHash: { algorithm: 'sha256', value: sha256(payload).toString('hex') },
      signatures: [{ signature: base64(signature), verifier: '' }],
    };
    const body = canonical({ apiVersion: '0.0.1', kind: 'dsse', spec });
    const { promise, integratedTime, logID } = this.#entry(body, options);
    const entry = {
      logIndex: '0',
      logId: { keyId: base64(Buffer.from(logID, 'hex')) },
      kindVersion: { kind: 'dsse', version: '0.0.1' },
      integratedTime: String(integratedTime),
      inclusionPromise: { signedEntryTimestamp: promise },
      inclusionProof: this.#proof(body, options),
      canonicalizedBody: base64(body),
    };
    return JSON.stringify({
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { certificate: { rawBytes: base64(certificate) }, tlogEntries: [entry] },
      dsseEnvelope: fields,
    });
  }

  #root(pair: Pair): Buffer {
    const validity = { from: this.#from, to: new Date(this.#from.getTime() + 600 * MINUTE_MS) };
    return rootCertificate(ROOT, pair, validity);
  }

  #signer({ email = 'ci@example.com', oidcIssuer = 'https://issuer.example.com', ...options }: SignOptions) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    const { authority: by = this.#authority, certificateLog: log = this.#certificateLog } = options;
    const validity = { from: this.#from, to: new Date(this.#from.getTime() + 10 * MINUTE_MS) };
    const certificate = leafCertificate({ issuer: ROOT, by, spki, ...validity }, { email, oidcIssuer, log });
    return { privateKey, certificate };
  }

  /** An entry of the log with what it promises. */
  #entry(body: string, { minutes = 1, signatureLog: log = this.#signatureLog }: SignOptions) {
    const integratedTime = this.#from.getTime() / 1_000 + minutes * 60;
    const entry = { body: base64(body), integratedTime, logID: this.#signatureLog.id.toString('hex'), logIndex: 0 };
    return { ...entry, promise: base64(sign('sha256', Buffer.from(canonical(entry)), log.privateKey)) };
  }

  /** That of a log with a single entry. */
  #proof(body: string, { signatureLog: log = this.#signatureLog, logName = 'rekor.example.com' }: SignOptions): object {
    const rootHash = base64(sha256(Buffer.concat([Buffer.from([0]), Buffer.from(body)])));
    const note = `${LOG_URL}\n1\n${rootHash}\n`;
    const hint = this.#signatureLog.id.subarray(0, 4);
    const signature = base64(Buffer.concat([hint, sign('sha256', Buffer.from(note), log.privateKey)]));
    const checkpoint = { envelope: `${note}\n\u2014 ${logName} ${signature}\n` };
    return { logIndex: '0', rootHash, treeSize: '1', hashes: [], checkpoint };
  }
}
