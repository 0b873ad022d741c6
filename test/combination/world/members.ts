import type { Content } from '../model/content.js';

/** The actions of engines on a cluster. */
export type ActionName = 'install' | 'upgrade' | 'uninstall' | 'prune' | 'failed';

/** Where something is installed: a Helm release by its record, files by their folder; `Target` of the model. */
export interface Place {
  readonly kind: 'HelmRelease' | 'Kustomization';
  /** UID of the cluster. */
  readonly cluster: string;
  readonly namespace: string;
  /** Namespace of Helm's record; only for a release. */
  readonly storageNamespace: string;
  /** Name of a release, or the files as `filesName` of the model says. */
  readonly name: string;
}

/** One action of an engine on a cluster. */
export interface ActionRecord {
  readonly order: number;
  readonly atMs: number;
  readonly action: ActionName;
  readonly place: Place;
  readonly version: string;
  readonly content: Content;
  /** `namespace/name` of the object that the engine worked for. */
  readonly child: string;
  readonly childUid: string;
  /** UID of the Application of that object; undefined: somebody else's. */
  readonly application: string | undefined;
  /** Revision of the Application that the object was written from. */
  readonly revision: number | undefined;
  readonly why: string;
  /** False for an uninstall that left the objects, because they are of another owner now. */
  readonly isWhole: boolean;
}

/** An installation in a place. */
export interface Installed {
  readonly place: Place;
  readonly version: string;
  /** Its content in the words of the model. */
  readonly content: Content;
  /** Digest of all that was installed. */
  readonly digest: string;
  /** `namespace/name` of the object that it belongs to. */
  readonly owner: string;
  /** Changes with each installation: data of the one before is lost. */
  readonly instance: number;
  readonly isFailed: boolean;
}

export function placeText({ kind, cluster, namespace, storageNamespace, name }: Place): string {
  return [kind, cluster, storageNamespace, name, kind === 'HelmRelease' ? '' : namespace].join('|');
}

/** The objects of a release are called after it, wherever its record is. */
function workloadText({ kind, cluster, namespace, name }: Place): string {
  return [kind, cluster, namespace, name].join('|');
}

/** A cluster that engines install to. */
export interface Member {
  /** UID of its namespace kube-system. */
  readonly uid: string;
  isDown: boolean;
  isSlow: boolean;
  /** Versions that fail there; `*`: all. */
  readonly broken: Set<string>;
}

/** All clusters, what runs on them, and everything that was done there. */
export class Members {
  readonly #members = new Map<string, Member>();
  /** Records of releases and inventories, by place. */
  readonly #installed = new Map<string, Installed>();
  /** Owners of the objects, by workload. */
  readonly #workloads = new Map<string, Installed>();
  readonly actions: ActionRecord[] = [];
  #instances = 0;

  add(uid: string): Member {
    const member: Member = { uid, isDown: false, isSlow: false, broken: new Set() };
    this.#members.set(uid, member);
    return member;
  }

  get(uid: string): Member | undefined {
    return this.#members.get(uid);
  }

  list(): Member[] {
    return [...this.#members.values()];
  }

  /** Returns the record of a place. */
  recordOf(place: Place): Installed | undefined {
    return this.#installed.get(placeText(place));
  }

  /** The objects that run there, whoever has their record. */
  workloadOf(place: Place): Installed | undefined {
    return this.#workloads.get(workloadText(place));
  }

  installed(): Installed[] {
    return [...this.#installed.values()];
  }

  workloads(): Installed[] {
    return [...this.#workloads.values()];
  }

  /** Installs or upgrades: the record is written, and the objects belong to it from now on. */
  write(
    content: Omit<Installed, 'instance'>,
    record: Omit<ActionRecord, 'order' | 'place' | 'version' | 'content' | 'isWhole'>,
  ): void {
    const { place } = content;
    const instance = this.workloadOf(place)?.instance ?? (this.#instances += 1);
    const installed = { ...content, instance };
    this.#installed.set(placeText(place), installed);
    this.#workloads.set(workloadText(place), installed);
    this.#log({ ...record, place, version: content.version, content: content.content, isWhole: true });
  }

  /** Removes the record, and the objects that still belong to its owner. */
  remove(
    place: Place,
    owner: string,
    record: Omit<ActionRecord, 'order' | 'place' | 'version' | 'content' | 'isWhole'>,
  ): void {
    const before = this.recordOf(place);
    this.#installed.delete(placeText(place));
    // The marks of a release are its name and namespace, whoever has a record of it; those of files name their owner.
    const isWhole = place.kind === 'HelmRelease' || this.workloadOf(place)?.owner === owner;
    if (isWhole) this.#workloads.delete(workloadText(place));
    this.#log({ ...record, place, version: before?.version ?? '', content: before?.content ?? '', isWhole });
  }

  /** Takes what runs over, as it is. */
  handOver(place: Place, owner: string): void {
    const record = this.recordOf(place);
    if (record !== undefined) this.#installed.set(placeText(place), { ...record, owner });
    const workload = this.workloadOf(place);
    if (workload !== undefined) this.#workloads.set(workloadText(place), { ...workload, owner });
  }

  #log(record: Omit<ActionRecord, 'order'>): void {
    this.actions.push({ ...record, order: this.actions.length });
  }
}
