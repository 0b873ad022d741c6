import { armor, Decrypter, identityToRecipient } from 'age-encryption';
import { decrypt, readMessage, readPrivateKeys, type PrivateKey } from 'openpgp';
import type { Metadata, WrappedKey } from './metadata.js';
import { SopsProblem } from './tree.js';

/** Private keys as a Secret has them: texts of `*.agekey` and `*.asc`. */
export interface SopsKeys {
  /** `Secret/namespace/name`. */
  readonly shown: string;
  readonly age: readonly string[];
  readonly pgp: readonly string[];
}

/** What decrypts data keys. */
export interface Keyring {
  readonly shown: string;
  /** Identities by recipient. */
  readonly age: ReadonlyMap<string, string>;
  readonly pgp: readonly PrivateKey[];
}

const MOST_KEYS = 50;
const KEY_BYTES = 32;
const SHOWN = 3;
/** Without a limit, a short message may decompress to more than there is memory. */
const PGP_CONFIG = { maxDecompressedMessageSize: 4096 };

function identitiesIn(texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => text.split('\n').map((line) => line.trim()));
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

async function ageIdentities(identities: readonly string[]): Promise<Map<string, string>> {
  const pairs = identities.map(async (identity) => {
    return [await identityToRecipient(identity), identity] as const;
  });
  return new Map(await Promise.all(pairs));
}

function refuseMany(shown: string, count: number, what: string): void {
  if (count <= MOST_KEYS) return;
  throw new SopsProblem(`${shown} has ${count} ${what}, and at most ${MOST_KEYS} are supported: remove some`);
}

/** Reads the keys of a Secret. Throws SopsProblem, which holds nothing of them. */
export async function keyringOf({ shown, age, pgp }: SopsKeys): Promise<Keyring> {
  const identities = identitiesIn(age);
  refuseMany(shown, identities.length, 'age identities');
  refuseMany(shown, pgp.length, 'PGP keys (*.asc)');
  try {
    const armored = pgp.map((armoredKeys) => readPrivateKeys({ armoredKeys }));
    return { shown, age: await ageIdentities(identities), pgp: (await Promise.all(armored)).flat() };
  } catch {
    throw new SopsProblem(
      `${shown} has a key that cannot be read: store age identities as *.agekey, and armored PGP private keys as *.asc`,
    );
  }
}

async function openAge({ text }: WrappedKey, identity: string): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return decrypter.decrypt(armor.decode(text));
}

async function openPgp({ text }: WrappedKey, decryptionKeys: readonly PrivateKey[]): Promise<Uint8Array> {
  const message = await readMessage({ armoredMessage: text, config: PGP_CONFIG });
  const options = { message, decryptionKeys: [...decryptionKeys], config: PGP_CONFIG };
  const opened: { readonly data: unknown } = await decrypt({ ...options, format: 'binary' });
  if (opened.data instanceof Uint8Array) return opened.data;
  throw new SopsProblem('is no PGP message');
}

/** The first data key that opens; what does not is none. */
async function firstOf(attempts: readonly (() => Promise<Uint8Array>)[]): Promise<Buffer | undefined> {
  for (const attempt of attempts) {
    const key = await attempt().catch(() => undefined);
    if (key?.length === KEY_BYTES) return Buffer.from(key);
  }
  return undefined;
}

function withoutKey({ age, pgp, services }: Metadata, { shown }: Keyring): string {
  const recipients = [...age, ...pgp].map(({ recipient }) => recipient.slice(0, 100));
  const others = recipients.length > SHOWN ? ` and ${recipients.length - SHOWN} more` : '';
  const named = recipients.slice(0, SHOWN).join(', ') + others;
  if (recipients.length > 0) return `no key of ${shown} decrypts it: add the private key of ${named}`;
  return `is encrypted by ${services.join(', ') || 'nothing that is known'}, and key services are not asked: encrypt it for age or PGP`;
}

/** The key that a file is encrypted with. Throws SopsProblem. */
export async function dataKeyOf(metadata: Metadata, keyring: Keyring): Promise<Buffer> {
  const ofAge = metadata.age.flatMap((wrapped) => {
    const identity = keyring.age.get(wrapped.recipient);
    return identity === undefined ? [] : [() => openAge(wrapped, identity)];
  });
  const ofPgp = keyring.pgp.length === 0 ? [] : metadata.pgp.map((wrapped) => () => openPgp(wrapped, keyring.pgp));
  const key = await firstOf([...ofAge, ...ofPgp]);
  if (key === undefined) throw new SopsProblem(withoutKey(metadata, keyring));
  return key;
}
