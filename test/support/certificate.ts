import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate and its private key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const VALID_MS = 86_400_000;
const COMMON_NAME = '550403';
const ORGANIZATION = '55040a';
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';

/** One DER value: tag, length, content. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  // The shortest form of the length, or it is no DER.
  const length = body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...content: readonly Buffer[]): Buffer => der(0x30, ...content);
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

function attribute(type: string, value: string): Buffer {
  return der(0x31, sequence(identifier(type), der(0x0c, Buffer.from(value, 'utf8'))));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(digits.slice(2))); // UTCTime: two digits of the year.
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/**
 * A client certificate that is its own CA (X.509 v1, ECDSA P-256, valid for a day): an API server whose client CA file
 * holds it takes who shows it for `user` in `group`, unless it has expired. Node makes keys, but no certificates.
 */
export function selfSignedCertificate(user: string, group: string, { isExpired = false } = {}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(attribute(ORGANIZATION, group), attribute(COMMON_NAME, user));
  const algorithm = sequence(identifier(ECDSA_WITH_SHA256));
  const now = Date.now();
  // A leading 1 keeps the number positive.
  const serial = der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
  const validity = sequence(time(now - VALID_MS), time(isExpired ? now - 1_000 : now + VALID_MS));
  const content = sequence(serial, algorithm, name, validity, name, publicKey.export({ type: 'spki', format: 'der' }));
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  return {
    cert: pem('CERTIFICATE', sequence(content, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
