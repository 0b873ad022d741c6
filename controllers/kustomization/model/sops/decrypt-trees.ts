import { createDecipheriv, createHash, timingSafeEqual, type Hash } from 'node:crypto';
import type { Metadata } from './metadata.js';
import { leaf, SopsProblem, type Branch, type Leaf, type Tree } from './tree.js';

const ENCRYPTED = /^ENC\[AES256_GCM,data:([^,]+),iv:([^,]+),tag:([^,]+),type:([^,]+)\]$/;
/** What the MAC begins with where it is only over encrypted values. */
const ONLY_ENCRYPTED = Buffer.from('8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69', 'hex');
const TAG_BYTES = 16;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Decrypts one value. Throws a plain Error. */
function decrypted(text: string, key: Buffer, path: string): { readonly bytes: Buffer; readonly type: string } {
  const [, data = '', iv = '', tag = '', type = ''] = ENCRYPTED.exec(text) ?? [];
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(path)).setAuthTag(Buffer.from(tag, 'base64'));
  return { bytes: Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]), type };
}

/** A boolean as sops counts it in a MAC, and as it is written. */
function booleanOf(text: string): { readonly counted: string; readonly written: string } | undefined {
  const written = text.toLowerCase();
  if (!['true', 'false'].includes(written)) return undefined;
  return { counted: written === 'true' ? 'True' : 'False', written };
}

/** Go's 'f' format: no exponent. */
function floatText(text: string): string {
  const short = String(Number(text));
  if (!short.includes('e')) return short;
  const [digits = '', exponent = '0'] = short.split('e');
  const [sign, number] = digits.startsWith('-') ? ['-', digits.slice(1)] : ['', digits];
  const [whole = '', rest = ''] = number.split('.');
  const point = whole.length + Number(exponent);
  const all = whole + rest;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`;
  return `${sign}${all.padEnd(point, '0')}`;
}

/** Neither the MAC nor the cipher covers a type, and what is written without quotes must be nothing else. */
const NUMBERS = new Map([
  ['int', /^-?(?:0|[1-9][0-9]*)$/],
  ['float', /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/],
]);

/** What was decrypted, as it is written. Throws a plain Error if it is not of its type. */
function leafOf({ bytes, type }: ReturnType<typeof decrypted>): Leaf {
  if (['str', 'bytes', 'time'].includes(type)) return { kind: 'text', bytes };
  const text = bytes.toString('utf8');
  const written = type === 'bool' ? booleanOf(text)?.written : NUMBERS.get(type)?.exec(text)?.[0];
  if (written === undefined) throw new Error('The value is not of its type.');
  return leaf('plain', written);
}

/** What a value that is not encrypted adds to the MAC; undefined for null, which sops passes over. */
function countedBytes({ kind, bytes }: Leaf): Buffer | undefined {
  const text = bytes.toString('utf8');
  if (kind === 'text') return bytes;
  if (['', '~', 'null', 'Null', 'NULL'].includes(text)) return undefined;
  const boolean = booleanOf(text);
  if (boolean !== undefined) return Buffer.from(boolean.counted);
  return /^[-+]?[0-9]+$/.test(text) || !FLOAT.test(text) ? bytes : Buffer.from(floatText(text));
}

class Decryption {
  readonly #metadata: Metadata;
  readonly #key: Buffer;
  readonly #mac: Hash = createHash('sha512');
  /** Texts that were decrypted. */
  readonly values: string[] = [];

  constructor(metadata: Metadata, key: Buffer) {
    this.#metadata = metadata;
    this.#key = key;
    if (metadata.macOnlyEncrypted) this.#mac.update(ONLY_ENCRYPTED);
  }

  tree(tree: Tree, path: readonly string[]): Tree {
    if (tree.kind === 'list') return { kind: 'list', items: tree.items.map((item) => this.tree(item, path)) };
    if (tree.kind === 'map') {
      const entries = tree.entries.map(([key, value]) => [key, this.tree(value, [...path, key])] as const);
      return { kind: 'map', entries };
    }
    return this.#leaf(tree, path);
  }

  #leaf(value: Leaf, path: readonly string[]): Leaf {
    const counted = countedBytes(value);
    if (counted === undefined) return value;
    if (!this.#metadata.isEncrypted(path)) {
      if (!this.#metadata.macOnlyEncrypted) this.#mac.update(counted);
      return value;
    }
    // sops does not encrypt what is empty.
    return value.bytes.length === 0 ? value : this.#decrypt(value, path);
  }

  #decrypt({ bytes }: Leaf, path: readonly string[]): Leaf {
    try {
      const plain = decrypted(bytes.toString('utf8'), this.#key, `${path.join(':')}:`);
      this.#mac.update(plain.bytes);
      this.values.push(plain.bytes.toString('utf8'));
      return leafOf(plain);
    } catch {
      const place = path.join('.').slice(0, 200);
      throw new SopsProblem(`was changed after it was encrypted: the value of ${place} is damaged: encrypt it again`);
    }
  }

  /** Throws SopsProblem. */
  requireMac(): void {
    const own = Buffer.from(this.#mac.digest('hex').toUpperCase());
    const { mac, lastModified } = this.#metadata;
    try {
      const { bytes } = decrypted(mac, this.#key, lastModified);
      if (bytes.length === own.length && timingSafeEqual(bytes, own)) return;
    } catch {
      // A MAC that cannot be read is one that does not match.
    }
    throw new SopsProblem('was changed after it was encrypted: its MAC does not match: encrypt it again');
  }
}

export interface DecryptedTrees {
  readonly documents: readonly Branch[];
  /** What was encrypted, as text. */
  readonly values: readonly string[];
}

/** Decrypts the documents of one encryption, and checks that they are what was encrypted. Throws SopsProblem. */
export function decryptTrees(documents: readonly Branch[], metadata: Metadata, key: Buffer): DecryptedTrees {
  const decryption = new Decryption(metadata, key);
  const results = documents.map(({ entries }): Branch => {
    const own = entries.filter(([name]) => name !== 'sops');
    return { kind: 'map', entries: own.map(([name, value]) => [name, decryption.tree(value, [name])] as const) };
  });
  decryption.requireMac();
  return { documents: results, values: decryption.values };
}
