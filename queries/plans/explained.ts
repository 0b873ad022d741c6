import type { Application } from '#api/v1alpha1/application.js';
import { inventoryCaches } from '#controllers/application/clusters.js';
import { expressionEvaluator } from '#controllers/application/evaluators/expressions.js';
import { ResultCache } from '#controllers/application/evaluators/result-cache.js';
import { explainApplication, type ExplainedApplication } from '#controllers/application/simulate.js';
import { ClusterResolver } from '#controllers/application/model/child/cluster-names.js';
import type { Entry } from '#controllers/application/model/child/types.js';
import { draftsOf } from '#controllers/application/model/destinations/entries.js';
import { usesInventory } from '#controllers/application/model/destinations/expand.js';
import { templateUses } from '#controllers/application/model/destinations/template-use.js';
import { templatePlaces } from '#controllers/application/model/spec/template-lookup.js';
import { templateCaches } from '#controllers/application/templates.js';
import { referenceReader } from '#controllers/cluster/references.js';
import { listed } from '#lib/text/text.js';
import { createSchemaCheck } from '#runtime/isolation/schema-check.js';
import { bounded } from './bounded.js';
import { Budget } from './budget.js';
import { CONTROLLER, readableDeployment } from './installation.js';
import { rulesOf } from './installed-flags.js';
import { LazyRenderer } from './lazy-renderer.js';
import type { Reading } from './reading.js';
import { PreviewError } from './preview-error.js';
import { type Limit, Snapshot } from './snapshot.js';

/** Clusters that an error names. */
const NAMED = 10;

/** The question about the destinations of an Application. */
interface Asked {
  /** Only on this cluster, as the status names it; undefined: on all. */
  readonly cluster?: string | undefined;
}

/** The entries that are asked for. Throws a PreviewError if there are none on the cluster. */
export function askedEntries(entries: readonly Entry[], { cluster }: Asked): readonly Entry[] {
  const meant =
    cluster === undefined ? undefined : new ClusterResolver(entries.map(({ names }) => names)).find(cluster);
  if (meant !== undefined && 'problem' in meant) throw new PreviewError('NoDestination', meant.problem);
  const asked = entries.filter(
    ({ names, clusterName }) =>
      cluster === undefined || clusterName === cluster || (names.key !== undefined && names.key === meant?.key),
  );
  if (cluster !== undefined && asked.length === 0) {
    const names = [...new Set(entries.map(({ clusterName }) => clusterName))];
    const known = names.length === 0 ? 'it has none' : `choose one of ${listed(names, NAMED)}`;
    throw new PreviewError('NoDestination', `the Application has no destination on it; ${known}`);
  }
  return asked;
}

/** What is explained, and what keeps the explanation from being that of the controller. */
export interface Explained {
  readonly application: ExplainedApplication;
  readonly limits: readonly Limit[];
  /** Why templates of values are not rendered; undefined: they are. */
  readonly unrendered: string | undefined;
}

/** The caches that an Application is explained by. */
async function readCaches(application: Application, { kube, signal, budget }: Reading) {
  const { namespace: own = '' } = application.metadata;
  const installed = await readableDeployment(kube, { signal });
  const rules = rulesOf(installed);
  const [forTemplates, forClusters] = [new Snapshot(), new Snapshot()];
  const templates = templateCaches(forTemplates);
  const inventory = inventoryCaches(forClusters, {
    watchedNamespace: rules.watchedNamespace,
    controllerNamespace: (installed?.metadata ?? CONTROLLER).namespace ?? '',
  });
  const places = templateUses(application).flatMap(templatePlaces);
  const namespaces = [...new Set(places.map(({ namespace }) => namespace))];
  const usesClusters = draftsOf(application).some(usesInventory);
  const limits = [
    ...(places.length === 0 ? [] : await forTemplates.read(kube, { own, namespaces, budget, signal })),
    ...(usesClusters ? await forClusters.read(kube, { own, namespaces: undefined, budget, signal }) : []),
  ];
  return { rules, templates, inventory, limits };
}

/** Explains an Application by what the user may read. Throws a PreviewError if it is rejected as a whole. */
export async function readExplained(application: Application, asked: Asked, reading: Reading): Promise<Explained> {
  const { kube, offload, signal, budget = new Budget() } = reading;
  const { namespace = '', name } = application.metadata;
  const { limits, ...caches } = await readCaches(application, reading);
  const helm = new LazyRenderer(reading.findRenderer);
  const checkSchema = createSchemaCheck(offload);
  const deps = {
    ...caches,
    narrow: (entries: readonly Entry[]) => askedEntries(entries, asked),
    ...bounded(
      { templates: helm.render, expressions: new ResultCache(Date.now).remembering(expressionEvaluator(offload)) },
      { budget, wayOut: asked.cluster === undefined ? '; ask for one cluster' : '' },
      signal,
    ),
    readReferences: referenceReader(kube),
    // What was not rendered may be what the schema requires.
    checkSchema: async (...question: Parameters<typeof checkSchema>) =>
      helm.problem === undefined ? checkSchema(...question) : { problems: [] },
  };
  const explained = await explainApplication(application, deps, signal);
  if (explained === 'pending')
    throw new PreviewError('Pending', 'its template has no status yet: try again once a controller runs');
  if ('violation' in explained) {
    throw new PreviewError('Rejected', `Application ${namespace}/${name} is rejected: ${explained.violation.message}`);
  }
  return { application: explained, limits, unrendered: helm.problem };
}
