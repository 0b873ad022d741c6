import { FLUX_FINALIZER } from '#api/flux/annotations.js';
import type { Application } from '#api/v1alpha1/application.js';
import { ABANDON_ANNOTATION, abandonedNames, EVERY_CLUSTER } from '#api/v1alpha1/labels.js';
import { mayDelete } from '#engine/deletion/rule.js';
import { childClusterNames, ClusterResolver } from './child/cluster-names.js';
import { unknownClusters } from './child/messages.js';
import type { Child, ClusterNames } from './child/types.js';
import { isTerminating } from './children/state.js';

/**
 * The clusters that a user abandoned: the annotation is `true`, or a comma-separated list of names. A name that several
 * clusters have abandons none of them.
 */
export class Abandonment {
  readonly #keys = new Set<string | undefined>();
  readonly #isEvery: boolean;
  /** Warnings about the names. */
  readonly warnings: readonly string[];

  /** `clusters`: those of all entries and children of the Application. */
  constructor(application: Application, clusters: readonly ClusterNames[]) {
    const all = abandonedNames(application);
    this.#isEvery = all.includes(EVERY_CLUSTER);
    const resolver = new ClusterResolver(clusters);
    const problems: string[] = [];
    const unknown: string[] = [];
    for (const name of all.filter((each) => each !== EVERY_CLUSTER)) {
      const found = resolver.find(name);
      if (found === undefined) unknown.push(name);
      else if ('key' in found) this.#keys.add(found.key);
      else problems.push(`annotation ${ABANDON_ANNOTATION}: ${found.problem}; none of them is abandoned`);
    }
    const shown = clusters.map((names) => resolver.shown(names));
    this.warnings = [...problems, unknownClusters(ABANDON_ANNOTATION, unknown, shown) ?? []].flat();
  }

  /** True if the cluster of `child` is abandoned. */
  has(child: Child): boolean {
    const { key } = childClusterNames(child);
    return this.#isEvery || (key !== undefined && this.#keys.has(key));
  }

  /** Those of the children that lose the finalizer of the engine: what runs there stays. */
  finalizersOf(children: readonly Child[]): Child[] {
    return children.filter((child) => {
      if (child.metadata.finalizers?.includes(FLUX_FINALIZER) !== true) return false;
      const facts = { intent: 'abandon', isOurs: true, isTerminating: isTerminating(child) } as const;
      return mayDelete({ subject: 'finalizer', ...facts, isAsked: this.has(child) }).allowed;
    });
  }
}
