import { goPattern, PatternBudget } from '#lib/text/go-pattern.js';
import { fieldOf, SopsProblem, textOf, type Branch, type Tree } from './tree.js';

/** A data key, encrypted for one recipient. */
export interface WrappedKey {
  /** Of age; fingerprint of PGP. Public. */
  readonly recipient: string;
  readonly text: string;
}

/** What sops wrote into a file. */
export interface Metadata {
  readonly age: readonly WrappedKey[];
  readonly pgp: readonly WrappedKey[];
  /** Key services that could decrypt the file, too: they are never asked. */
  readonly services: readonly string[];
  readonly mac: string;
  readonly lastModified: string;
  readonly macOnlyEncrypted: boolean;
  /** Says of the keys on the way to a value whether it is encrypted. */
  readonly isEncrypted: (path: readonly string[]) => boolean;
}

const MOST_RECIPIENTS = 100;
const SERVICES = ['kms', 'gcp_kms', 'azure_kv', 'hckms', 'hc_vault'];
const UNSUPPORTED = ['key_groups', 'shamir_threshold', 'encrypted_comment_regex', 'unencrypted_comment_regex'];

function itemsOf(tree: Tree | undefined): readonly Tree[] {
  return tree?.kind === 'list' ? tree.items : [];
}

function wrappedKeys(sops: Tree, kind: 'age' | 'pgp'): WrappedKey[] {
  const items = itemsOf(fieldOf(sops, kind));
  if (items.length > MOST_RECIPIENTS) {
    throw new SopsProblem(
      `has ${items.length} recipients of ${kind}, and at most ${MOST_RECIPIENTS} are supported: remove some`,
    );
  }
  const name = kind === 'age' ? 'recipient' : 'fp';
  return items.map((item) => ({ recipient: textOf(fieldOf(item, name)), text: textOf(fieldOf(item, 'enc')) }));
}

type Pattern = ReturnType<typeof goPattern>;

/** Reads the patterns of one file: each text once, and all together within the budget of an object. */
export class Patterns {
  readonly #budget = new PatternBudget();
  readonly #known = new Map<string, Pattern>();

  /** Throws SopsProblem. */
  read(text: string): Pattern {
    const known = this.#known.get(text) ?? this.#compiled(text);
    this.#known.set(text, known);
    return known;
  }

  #compiled(text: string): Pattern {
    try {
      return goPattern(text, { budget: this.#budget });
    } catch {
      throw new SopsProblem(
        'has a pattern in its sops metadata that is no regular expression, or its patterns repeat too much',
      );
    }
  }
}

/** In the order of sops: a later rule, where there is one, decides. */
function encryptionRule(sops: Tree, patterns: Patterns): Metadata['isEncrypted'] {
  const suffix = (name: string): string => textOf(fieldOf(sops, name));
  const [plainSuffix, secretSuffix] = [suffix('unencrypted_suffix'), suffix('encrypted_suffix')];
  const [plainPattern, secretPattern] = ['unencrypted_regex', 'encrypted_regex'].map((name) => {
    const text = suffix(name);
    return text === '' ? undefined : patterns.read(text);
  });
  return (path) => {
    const ends = (end: string): boolean => path.some((key) => key.endsWith(end));
    const matches = (pattern: Pattern): boolean => path.some(pattern);
    let isEncrypted = plainSuffix === '' || !ends(plainSuffix);
    if (secretSuffix !== '') isEncrypted = ends(secretSuffix);
    if (plainPattern !== undefined && matches(plainPattern)) isEncrypted = false;
    return secretPattern === undefined ? isEncrypted : matches(secretPattern);
  };
}

/** The metadata of a document of a file; undefined if sops did not write it. Throws SopsProblem. */
export function metadataOf(document: Branch, patterns = new Patterns()): Metadata | undefined {
  const sops = fieldOf(document, 'sops');
  const mac = textOf(fieldOf(sops, 'mac'));
  if (sops === undefined || mac === '') return undefined;
  const unsupported = UNSUPPORTED.find((name) => fieldOf(sops, name) !== undefined);
  if (unsupported !== undefined && textOf(fieldOf(sops, unsupported)) !== '0') {
    throw new SopsProblem(`uses sops.${unsupported}, which is not supported: encrypt it without`);
  }
  return {
    age: wrappedKeys(sops, 'age'),
    pgp: wrappedKeys(sops, 'pgp'),
    services: SERVICES.filter((name) => itemsOf(fieldOf(sops, name)).length > 0),
    mac,
    lastModified: textOf(fieldOf(sops, 'lastmodified')),
    macOnlyEncrypted: textOf(fieldOf(sops, 'mac_only_encrypted')) === 'true',
    isEncrypted: encryptionRule(sops, patterns),
  };
}
