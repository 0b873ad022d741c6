import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { TemplateView } from '#controllers/application/model/spec/template-lookup.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import type { Plan } from '#controllers/application/model/decide.js';
import { application, applied, decide, NO_TEMPLATES, observed, type Seen } from '../builders.js';
import { inventory, own } from './builders.js';

export const APPROVE = 'gitops.kubesphere.io/approve-removals';
export const FLEET = inventory(Array.from({ length: 10 }, (_, index) => own(`c${index}`, { env: 'prod' })));
export const ONE = inventory([own('c0', { env: 'prod' })]);

export interface World extends Partial<Seen> {
  readonly status?: ApplicationStatus;
  readonly annotations?: Record<string, string>;
  readonly templates?: TemplateView;
}

/** The plan of a pass in which no removal has to wait for a delay. */
export function pass(app: Application, owned: readonly Child[], world: World = {}): Plan {
  const { status = {}, annotations = {}, templates = NO_TEMPLATES, clusters = FLEET, ...more } = world;
  const asked = { ...app, status, metadata: { ...app.metadata, annotations } };
  const validation = validate(asked, { templates, clusters }, { allowCrossNamespace: false });
  if (validation === 'pending') throw new Error('the template has no status yet');
  return decide({ ...observed(application([])), application: asked, validation, owned, clusters, delayMs: 0, ...more });
}

/** A child with the fields that the server and the engine add when it is installed. */
export function installed(child: Child): Child {
  const { releaseName, targetNamespace, storageNamespace, chart } = child.spec;
  // Fairlead writes this template of a chart.
  const { chart: chartName } = (chart as { spec: { chart: string } } | undefined)?.spec ?? { chart: '' };
  const latest = { name: releaseName, namespace: targetNamespace, chartName };
  const history = child.kind === 'HelmRelease' ? { history: [latest], storageNamespace } : {};
  const metadata = { ...child.metadata, uid: `uid-${child.metadata.name}` };
  return { ...child, metadata, status: history as Child['status'] & object };
}

export function running(app: Application, world: World = {}): Child[] {
  return applied([], pass(app, [], world).steps).map(installed);
}

export function writes({ steps }: Plan): string[] {
  return steps.flatMap(({ op }) => (op === 'keep' || op === 'wait' || op === 'spare' ? [] : [op]));
}
