/** A private key that costs little to sign with: its size is what its holder chose, and others wait while it signs. */
export interface PrivateKey {
  /** The block that was read, without what was around it. */
  readonly pem: string;
  /** Of the modulus; undefined for a key that is not RSA. */
  readonly rsaBits?: number;
}

/** A value in DER: its tag and its content. */
interface Value {
  readonly tag: number;
  readonly content: Buffer;
}

/** Why a key with more bits than these cannot be used: for messages, behind the name of a field or a key. */
export function unusableKey(maxRsaBits: number): string {
  return `is not an RSA key of ${maxRsaBits} bits at most, an EC key or an Ed25519 key, in PEM without a passphrase`;
}

export const UNUSABLE_KEY = unusableKey(8192);

const MAX_TEXT = 16 * 1024;
const BLOCK = /-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----([\sA-Za-z\d+/=]*)-----END \1-----/;
const [INTEGER, OCTETS, OID, SEQUENCE] = [0x02, 0x04, 0x06, 0x30];
/** rsaEncryption, ecPublicKey, Ed25519. OpenSSL computes with the numbers of some others as soon as it reads them. */
const [RSA, ...OTHERS] = ['2a864886f70d010101', '2a8648ce3d0201', '2b6570'];
const NO_VERSION = '00';
/** Largest bytes of modulus, public exponent, private exponent, primes, their exponents, and the coefficient. */
const RSA_LIMITS = [1024, 8, 1024, 512, 512, 512, 512, 512];

/** The values in `bytes`, one after the other. Throws an error for what is not DER. */
function valuesIn(bytes: Buffer): Value[] {
  const values: Value[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const first = rest.readUInt8(1);
    const start = first < 0x80 ? 2 : first - 0x80 + 2;
    const end = start + (first < 0x80 ? first : rest.readUIntBE(2, first - 0x80));
    if (end > rest.length) throw new Error('too short');
    values.push({ tag: rest.readUInt8(0), content: rest.subarray(start, end) });
    rest = rest.subarray(end);
  }
  return values;
}

/** What the one sequence in `bytes` holds. Throws an error for anything else. */
function sequenceIn(bytes: Buffer): Value[] {
  const [outer, ...others] = valuesIn(bytes);
  if (outer?.tag !== SEQUENCE || others.length > 0) throw new Error('not a sequence');
  return valuesIn(outer.content);
}

/** Bits of the modulus. Every number is limited: any of them may be larger than the modulus has to be. */
function rsaBits(bytes: Buffer): number {
  const values = sequenceIn(bytes);
  const [version, ...numbers] = values.map(({ content }) => content.toString('hex').replace(/^00(?=.)/, ''));
  const isSmall = numbers.every((digits, index) => digits.length <= (RSA_LIMITS[index] ?? 0) * 2);
  const isRsa = values.every(({ tag }) => tag === INTEGER) && numbers.length === RSA_LIMITS.length;
  if (version !== NO_VERSION || !isRsa || !isSmall) throw new Error('not an RSA key');
  return BigInt(`0x${numbers[0] ?? ''}`).toString(2).length;
}

/** Bits of the modulus of a PKCS#8 key; undefined for one that is not RSA. */
function pkcs8Bits(bytes: Buffer): number | undefined {
  const [, algorithm, key] = sequenceIn(bytes);
  const [name] = algorithm?.tag === SEQUENCE ? valuesIn(algorithm.content) : [];
  const id = name?.tag === OID ? name.content.toString('hex') : '';
  if (id === RSA && key?.tag === OCTETS) return rsaBits(key.content);
  if (OTHERS.includes(id)) return undefined;
  throw new Error('another algorithm');
}

/** Written anew: OpenSSL may find other bytes than ours in what is not quite base64. */
function pemOf(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** The first private key in `text`; undefined when there is none that may be used: see UNUSABLE_KEY. */
export function privateKeyIn(text: string): PrivateKey | undefined {
  const [, label, base64 = ''] = text.length > MAX_TEXT ? [] : (BLOCK.exec(text) ?? []);
  if (label === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  const pem = pemOf(label, bytes);
  try {
    if (label === 'EC PRIVATE KEY') return { pem };
    const bits = label === 'PRIVATE KEY' ? pkcs8Bits(bytes) : rsaBits(bytes);
    return bits === undefined ? { pem } : { pem, rsaBits: bits };
  } catch {
    return undefined;
  }
}
