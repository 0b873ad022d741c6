/** The cheapest first, so that a missing compiler shows before the long build. */
export const MODULE_NAMES = [
  ...(['ssh', 'kustomize', 'sandbox', 'control-plane', 'oracles', 'peers', 'source-controller', 's3', 'cosign', 'sts'] as const),
];

/** One folder under tools/, a Go module: its programs share their libraries, in one version each. */
export type ModuleName = (typeof MODULE_NAMES)[number];

/** What a sandbox runs on. */
export type WorldTool =
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'etcd'
  | 'kwok'
  | 'helm'
  | 'kustomize'
  | 'registry';

/**
 * What only tests use: `oracles` answers questions, the controllers are those of Flux, `versitygw` is an object store,
 * `minio` another one, which gives keys to users of the directory `glauth`, `ssh` serves repositories, and `cosign`
 * signs.
 */
type TestTool =
  | 'oracles'
  | 'kustomize-controller'
  | 'source-controller'
  | 'versitygw'
  | 'minio'
  | 'glauth'
  | 'ssh'
  | 'cosign';

export type ToolName = WorldTool | TestTool;

interface Tool {
  readonly module: ModuleName;
  /** The main package. */
  readonly package: string;
  /** File name that `go build` gives it, where that is not the tool's name. */
  readonly builtAs?: string;
}

export const TOOLS: Readonly<Record<ToolName, Tool>> = {
  'kube-apiserver': { module: 'control-plane', package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  'kube-controller-manager': { module: 'control-plane', package: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  'kube-scheduler': { module: 'control-plane', package: 'k8s.io/kubernetes/cmd/kube-scheduler' },
  kubectl: { module: 'control-plane', package: 'k8s.io/kubernetes/cmd/kubectl' },
  etcd: { module: 'sandbox', package: 'go.etcd.io/etcd/server/v3', builtAs: 'server' },
  kwok: { module: 'sandbox', package: 'sigs.k8s.io/kwok/cmd/kwok' },
  helm: { module: 'sandbox', package: 'helm.sh/helm/v4/cmd/helm' },
  registry: { module: 'sandbox', package: 'fairlead.dev/tools/sandbox/registry' },
  kustomize: { module: 'kustomize', package: 'sigs.k8s.io/kustomize/kustomize/v5' },
  oracles: { module: 'oracles', package: 'fairlead.dev/tools/oracles' },
  'kustomize-controller': { module: 'peers', package: 'github.com/fluxcd/kustomize-controller' },
  'source-controller': { module: 'source-controller', package: 'github.com/fluxcd/source-controller' },
  versitygw: { module: 's3', package: 'github.com/versity/versitygw/cmd/versitygw' },
  minio: { module: 'sts', package: 'github.com/minio/minio' },
  glauth: { module: 'sts', package: 'github.com/glauth/glauth/v2' },
  ssh: { module: 'ssh', package: 'fairlead.dev/tools/ssh' },
  cosign: { module: 'cosign', package: 'github.com/sigstore/cosign/v3/cmd/cosign' },
};

/** What a sandbox runs on. */
export const WORLD_TOOLS: readonly WorldTool[] = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'etcd',
  'kwok',
  'helm',
  'registry',
  'kustomize',
];

/** Version of a required Go module, as its go.mod says; throws when it is not required there. */
export function requiredVersion(goMod: string, modulePath: string): string {
  const line = goMod.split('\n').find((text) => text.trim().replace(/^require /, '').startsWith(`${modulePath} v`));
  const version = line?.trim().replace(/^require /, '').split(' ')[1];
  if (version === undefined) throw new Error(`go.mod does not require ${modulePath}`);
  return version;
}

function kubernetesVersionFlags(version: string): string[] {
  const [major = '', minor = ''] = version.slice(1).split('.');
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((target) =>
    Object.entries(values).map(([name, value]) => `-X ${target}.${name}=${value}`),
  );
}

function versionFlags(program: string, goMod: string): string[] {
  if (program.startsWith('k8s.io/kubernetes/')) return kubernetesVersionFlags(requiredVersion(goMod, 'k8s.io/kubernetes'));
  if (!program.startsWith('helm.sh/helm/v4/')) return [];
  return [`-X helm.sh/helm/v4/internal/version.version=${requiredVersion(goMod, 'helm.sh/helm/v4')}`];
}

/** Linker flags of a tool: a small binary that knows its own version, which a plain `go build` leaves out. */
export function linkerFlags(tool: ToolName, goMod: string): string {
  return ['-s', '-w', ...versionFlags(TOOLS[tool].package, goMod)].join(' ');
}
