export interface NextSteps {
  /** How the user types `fairlead`. */
  readonly program: string;
  readonly namespace: string;
  /** Folder of the sandbox, when it is not the default one. */
  readonly dir?: string | undefined;
  /** Kubeconfig of the user's own host; absent in the sandbox. */
  readonly kubeconfig?: string | undefined;
}

const UPGRADE = '{"spec":{"fluxApp":{"spec":{"config":{"helmRelease":{"chart":{"version":"1.5.0"}}}}}}}';
/** What a pod of the sandbox does with this annotation: see sandbox/README.md. */
const BREAK = JSON.stringify([
  {
    op: 'add',
    path: '/spec/fluxApp/spec/config/helmRelease/deploy/0/values/podAnnotations',
    value: { 'sandbox.fairlead.dev/outcome': 'no-image' },
  },
]);

function environment({ program, dir, kubeconfig }: NextSteps): string {
  if (kubeconfig !== undefined) return `export KUBECONFIG='${kubeconfig}'`;
  return `eval "$(${program} sandbox env${dir === undefined ? '' : ` --dir '${dir}'`})"`;
}

/** What to do with first-light: in the sandbox it was upgraded already, and a pod can be made to fail. */
function changes({ namespace, kubeconfig }: NextSteps, fairlead: string): string[] {
  if (kubeconfig !== undefined)
    return [`  kubectl -n ${namespace} patch gapp first-light --type merge -p '${UPGRADE}'`];
  return [
    `  ${fairlead} history first-light -n ${namespace}`,
    `  kubectl -n ${namespace} patch gapp first-light --type json -p '${BREAK}'`,
    `  ${fairlead} tree first-light -n ${namespace} --cluster host`,
    `  ${fairlead} rollback first-light -n ${namespace}`,
  ];
}

/** Commands to try in another terminal. */
export function nextSteps(where: NextSteps): string {
  const { program, namespace, kubeconfig } = where;
  const member = kubeconfig === undefined ? '--kube-context member-2 ' : '';
  // The environment of the sandbox has it.
  const fairlead = kubeconfig === undefined ? 'fairlead' : program;
  return [
    'What to try next, in another terminal:',
    `  ${environment(where)}`,
    `  kubectl -n ${namespace} get gapp`,
    `  helm ${member}list -A`,
    ...changes(where, fairlead),
    `  ${fairlead} status -n ${namespace} --watch`,
    `  kubectl -n ${namespace} delete gapp first-light`,
  ].join('\n');
}
