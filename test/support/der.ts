import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** DER, as far as certificates need it. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const digits = body.length < 256 ? [body.length] : [body.length >> 8, body.length & 0xff];
  const length = body.length < 128 ? digits : [0x80 | digits.length, ...digits];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const octets = (value: Buffer): Buffer => der(0x04, value);
const bits = (value: Buffer): Buffer => der(0x03, Buffer.from([0]), value);

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const base128 = (value: number): number[] =>
    value < 128 ? [value] : [...base128(value >> 7).map((digit) => digit | 0x80), value & 0x7f];
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

const utcTime = (time: Date): Buffer =>
  der(0x17, Buffer.from(`${time.toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`));
const named = (name: string): Buffer => sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(name)))));
const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), octets(value));
const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));

/** A key pair with what Sigstore calls it by. */
export interface Pair {
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  readonly id: Buffer;
}

export function newPair(): Pair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return { privateKey, spki, id: createHash('sha256').update(spki).digest() };
}

export interface Validity {
  readonly from: Date;
  readonly to: Date;
}

interface Issued extends Validity {
  readonly issuer: string;
  readonly by: Pair;
  readonly subject: string;
  readonly spki: Buffer;
}

function tbs({ issuer, subject, spki, from, to }: Issued, extensions: readonly Buffer[]): Buffer {
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const validity = sequence(utcTime(from), utcTime(to));
  const names = [named(issuer), validity, subject === '' ? sequence() : named(subject)];
  return sequence(version, serial, ECDSA_SHA256, ...names, spki, der(0xa3, sequence(...extensions)));
}

function certificate(issued: Issued, extensions: readonly Buffer[]): Buffer {
  const body = tbs(issued, extensions);
  return sequence(body, ECDSA_SHA256, bits(sign('sha256', body, issued.by.privateKey)));
}

export function rootCertificate(name: string, pair: Pair, validity: Validity): Buffer {
  const isCa = extension('2.5.29.19', sequence(der(0x01, Buffer.from([0xff]))));
  return certificate({ issuer: name, by: pair, subject: name, spki: pair.spki, ...validity }, [isCa]);
}

/** The certificate of a signer; `log` promised to publish it. */
export function leafCertificate(
  issued: Omit<Issued, 'subject'>,
  { email, oidcIssuer, log }: { readonly email: string; readonly oidcIssuer: string; readonly log: Pair },
): Buffer {
  const leaf = { ...issued, subject: '' };
  const san = extension('2.5.29.17', sequence(der(0x81, Buffer.from(email))));
  const extensions = [san, extension('1.3.6.1.4.1.57264.1.8', der(0x0c, Buffer.from(oidcIssuer)))];
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(issued.from.getTime()));
  const body = tbs(leaf, extensions);
  const prefixed = (bytes: Buffer, width: number): Buffer => {
    const length = Buffer.alloc(width);
    length.writeUIntBE(bytes.length, 0, width);
    return Buffer.concat([length, bytes]);
  };
  const entry = Buffer.concat([issued.by.id, prefixed(body, 3)]);
  const signed = Buffer.concat([Buffer.from([0, 0]), time, Buffer.from([0, 1]), entry, Buffer.from([0, 0])]);
  const signature = prefixed(sign('sha256', signed, log.privateKey), 2);
  const timestamp = Buffer.concat([Buffer.from([0]), log.id, time, Buffer.from([0, 0, 4, 3]), signature]);
  const list = prefixed(prefixed(timestamp, 2), 2);
  return certificate(leaf, [...extensions, extension('1.3.6.1.4.1.11129.2.4.2', octets(list))]);
}
