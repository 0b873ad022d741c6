import type { Servers } from './servers.js';

/** Where the servers are, and what is in them. */
export interface Addresses {
  readonly git: (repository: string) => string;
  /** Behind a login. */
  readonly guardedGit: (repository: string) => string;
  /** With a certificate of its own CA. */
  readonly secureGit: (repository: string) => string;
  /** By SSH. */
  readonly sshGit: (repository: string) => string;
  readonly helm: string;
  /** Of an index that changes. */
  readonly movingHelm: string;
  readonly guardedHelm: string;
  readonly secureHelm: string;
  /** The same, by connections of its own: Flux lends those of one HelmRepository, with its CA, to others. */
  readonly untrustedHelm: string;
  /** `HOST:PORT` of registries. */
  readonly registry: string;
  readonly guardedRegistry: string;
  readonly secureRegistry: string;
  /** `HOST:PORT` of object stores. */
  readonly objects: string;
  readonly secureObjects: string;
  /** `HOST:PORT` of an object store that gives temporary keys to users of a directory. */
  readonly sts: string;
  readonly secureSts: string;
  readonly region: string;
  /** Ids of commits, and digests of manifests, by their names. */
  readonly ids: (name: string) => string;
}

export type SourceKind = 'GitRepository' | 'HelmRepository' | 'HelmChart' | 'OCIRepository' | 'Bucket';
export type ObjectId = `${SourceKind}/${string}`;
/** Specs in the order in which they are reconciled: what others are made of comes first. */
export type Objects = Readonly<Partial<Record<ObjectId, object>>>;
/** With which reasons objects are not Ready. All others are. */
type Failures = Readonly<Partial<Record<ObjectId, string>>>;

/** What happens between two comparisons. */
export interface Step {
  readonly does: string;
  /** On the servers, before. */
  readonly happens?: (servers: Servers) => Promise<unknown>;
  /** Applied; those of earlier steps stay. */
  readonly objects?: (at: Addresses) => Objects;
  readonly fails?: Failures;
  /** Where we report it otherwise, or Flux does not fail. */
  readonly weFail?: Failures;
}

/** Sources that Flux fetches on one cluster, and we on the other. Names are those of one namespace: no case has another's. */
export interface Case {
  readonly name: string;
  readonly steps: readonly [Step, ...Step[]];
  /** Why what is seen differs on purpose. It must differ, then. */
  readonly differs?: string;
}

/** A case of one step. */
export function once(
  name: string,
  objects: (at: Addresses) => Objects,
  fails: Failures = {},
  weFail: Failures = fails,
): Case {
  return { name, steps: [{ does: name, objects, fails, weFail }] };
}

/** Of no server: for what is asked of the specs alone. */
export const NOWHERE: Addresses = {
  ...{ git: String, guardedGit: String, secureGit: String, sshGit: String, ids: String },
  ...{
    helm: '',
    movingHelm: '',
    guardedHelm: '',
    secureHelm: '',
    untrustedHelm: '',
    registry: '',
    guardedRegistry: '',
    secureRegistry: '',
  },
  ...{ objects: '', secureObjects: '', sts: '', secureSts: '', region: '' },
};
