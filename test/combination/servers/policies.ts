import { configMapResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { TransientError } from '#lib/errors.js';
import type { Kube } from '#runtime/client/kube.js';
import { eventually } from '../../support/world.js';
import { VERSION_LABEL } from './fleet.js';

const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false };
const policyResource: ResourceType = {
  ...ADMISSION,
  ...{ kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies' },
};
const bindingResource: ResourceType = {
  ...ADMISSION,
  ...{ kind: 'ValidatingAdmissionPolicyBinding', plural: 'validatingadmissionpolicybindings' },
};
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] };
/** The server refuses what breaks a policy as it refuses what breaks a schema. */
const INVALID = 422;

/** A version that fails in some namespaces of a cluster. */
export interface Fault {
  /** Unique on the cluster. */
  readonly name: string;
  readonly version: string;
  readonly namespaces: readonly string[];
}

/** True if the server would refuse an object of that version in the first of the namespaces. */
async function refuses(kube: Kube, { version, namespaces }: Fault): Promise<boolean> {
  const [namespace = ''] = namespaces;
  const metadata = { name: 'probe', namespace, labels: { [VERSION_LABEL]: version } };
  try {
    await kube.create<KubeObject>(
      configMapResource,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata },
      { dryRun: true },
    );
    return false;
  } catch (error: unknown) {
    if (error instanceof TransientError && error.status?.code === INVALID) return true;
    throw error;
  }
}

async function until(kube: Kube, fault: Fault, isRefused: boolean): Promise<void> {
  await eventually(async () => {
    if ((await refuses(kube, fault)) !== isRefused) throw new Error(`${fault.name} is not followed yet`);
  });
}

/** Lets the server refuse all objects of a version of the charts; resolves when it does. */
export async function breakVersion(kube: Kube, fault: Fault): Promise<void> {
  const { name, version, namespaces } = fault;
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const broken = `object.metadata.?labels.?${VERSION_LABEL}.orValue('') == '${version}'`;
  const policy = {
    ...{ apiVersion, kind: policyResource.kind, metadata: { name } },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [RULE] },
      validations: [{ expression: `!(${broken})`, message: `${version} is broken` }],
    },
  };
  const matchExpressions = [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }];
  const binding = {
    ...{ apiVersion, kind: bindingResource.kind, metadata: { name } },
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchExpressions } },
    },
  };
  await kube.create<KubeObject>(policyResource, policy);
  await kube.create<KubeObject>(bindingResource, binding);
  await until(kube, fault, true);
}

/** Undoes it; resolves when the server accepts the version again. */
export async function mendVersion(kube: Kube, fault: Fault): Promise<void> {
  await kube.delete(bindingResource, fault);
  await kube.delete(policyResource, fault);
  await until(kube, fault, false);
}
