import { randomBytes } from 'node:crypto';

/** A value in DER. */
export function derValue(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** A small number, or random ones of so many bits. */
export function derInteger(value: number | Buffer): Buffer {
  return derValue(0x02, typeof value === 'number' ? Buffer.from([value]) : Buffer.concat([Buffer.alloc(1), value]));
}

function randomOdd(bits: number): Buffer {
  const bytes = randomBytes(bits / 8);
  bytes.writeUInt8(bytes.readUInt8(0) | 0x80, 0);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) | 1, bytes.length - 1);
  return bytes;
}

/**
 * PEM of an RSA key whose numbers are random, for which no time is lost with primes; `parts` are the bits of single
 * ones. It has a third prime if `parts` have `other`.
 */
export function rsaKeyOf(parts: Readonly<Record<string, number>>, modulusBits: number): string {
  const half = Math.floor(modulusBits / 16) * 8;
  const all = { n: modulusBits, e: 24, d: modulusBits, p: half, q: half, dp: half, dq: half, qi: half, ...parts };
  const { other, ...usual } = { other: 0, ...all };
  const numbers = Object.values(usual).map((bits) => derInteger(randomOdd(bits)));
  const third = [other, other, other].map((bits) => derInteger(randomOdd(bits || 8)));
  const others = other === 0 ? [] : [derValue(0x30, derValue(0x30, ...third))];
  const bytes = derValue(0x30, derInteger(other === 0 ? 0 : 1), ...numbers, ...others);
  const lines = bytes.toString('base64').replace(/.{1,64}/g, '$&\n');
  return `-----BEGIN RSA PRIVATE KEY-----\n${lines}-----END RSA PRIVATE KEY-----\n`;
}
