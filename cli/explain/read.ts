import type { Application } from '../../api/v1alpha1/application.js';
import { inventoryCaches } from '../../controllers/application/clusters.js';
import { createEvaluateValues } from '../../controllers/application/evaluate-values.js';
import { explainApplication, type ExplainedApplication } from '../../controllers/application/explain.js';
import { usesInventory } from '../../controllers/application/model/clusters/expand.js';
import { draftsOf } from '../../controllers/application/model/entries.js';
import { templatePlaces } from '../../controllers/application/model/template-lookup.js';
import { templateUses } from '../../controllers/application/model/template-use.js';
import { templateCaches } from '../../controllers/application/templates.js';
import { referenceReader } from '../../controllers/cluster/references.js';
import type { Kube } from '../../controllers/runtime/kube.js';
import { createOffload, type Offload } from '../../controllers/runtime/offload.js';
import { createSchemaCheck } from '../../controllers/runtime/schema-check.js';
import { controllerNamespace, readableDeployment } from '../check/installed.js';
import { rulesOf } from '../install/choices.js';
import { LocalHelm } from './helm.js';
import { Snapshot, type Limit } from './snapshot.js';

/** What is explained, and what keeps the explanation from being that of the controller. */
export interface Explained {
  readonly application: ExplainedApplication;
  readonly limits: readonly Limit[];
  /** Why templates of values are not rendered; undefined: they are. */
  readonly unrendered: string | undefined;
}

interface Reading {
  readonly kube: Kube;
  readonly helmPath: string | undefined;
  readonly signal: AbortSignal;
}

async function explainedBy(application: Application, reading: Reading, offload: Offload): Promise<Explained> {
  const { kube, helmPath, signal } = reading;
  const { namespace: own = '' } = application.metadata;
  const installed = await readableDeployment(kube);
  const rules = rulesOf(installed);
  const [forTemplates, forClusters] = [new Snapshot(), new Snapshot()];
  const templates = templateCaches(forTemplates);
  const inventory = inventoryCaches(forClusters, {
    watchedNamespace: rules.watchedNamespace,
    controllerNamespace: await controllerNamespace(installed),
  });
  const places = templateUses(application).flatMap(templatePlaces);
  const namespaces = [...new Set(places.map(({ namespace }) => namespace))];
  const usesClusters = draftsOf(application).some(usesInventory);
  const limits = [
    ...(places.length === 0 ? [] : await forTemplates.read(kube, { own, namespaces })),
    ...(usesClusters ? await forClusters.read(kube, { own, namespaces: undefined }) : []),
  ];
  const helm = new LocalHelm(helmPath, offload);
  const checkSchema = createSchemaCheck(offload);
  const deps = {
    ...{ rules, templates, inventory },
    renderValues: helm.render,
    readReferences: referenceReader(kube),
    evaluateValues: createEvaluateValues(offload, Date.now),
    // What was not rendered may be what the schema requires.
    checkSchema: async (...question: Parameters<typeof checkSchema>) =>
      helm.problem === undefined ? checkSchema(...question) : { problems: [] },
  };
  const explained = await explainApplication(application, deps, signal);
  if (explained === 'pending') throw new Error('its template has no status yet: try again once a controller runs');
  if ('violation' in explained) {
    throw new Error(`Application ${own}/${application.metadata.name} is rejected: ${explained.violation.message}`);
  }
  return { application: explained, limits, unrendered: helm.problem };
}

/** Explains an Application by what the user may read. Throws if it is rejected as a whole. */
export async function readExplained(application: Application, reading: Reading): Promise<Explained> {
  const offload = createOffload();
  try {
    return await explainedBy(application, reading, offload);
  } finally {
    await offload.close();
  }
}
